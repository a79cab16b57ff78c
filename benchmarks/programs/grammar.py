"""A grammar of C23 with the common GNU extensions, for bison.

The ladder of binary operators is generated; the rest is written out from the language's syntax.
Conflicts that C has by nature (dangling else, attributes) are left to bison's defaults.
"""

from pathlib import Path

_LADDER = [
    ("product", "cast", "'*' '/' '%'"),
    ("sum", "product", "'+' '-'"),
    ("shift", "sum", "SHL SHR"),
    ("order", "shift", "'<' '>' LE GE"),
    ("equality", "order", "EQ NE"),
    ("bit_and", "equality", "'&'"),
    ("bit_xor", "bit_and", "'^'"),
    ("bit_or", "bit_xor", "'|'"),
    ("logic_and", "bit_or", "ANDAND"),
    ("logic_or", "logic_and", "OROR"),
]

_TOKENS = """
NAME TYPE_NAME ENUM_CONSTANT NUMBER STRING ARROW INC DEC SHL SHR LE GE EQ NE ANDAND OROR ELLIPSIS
MUL_SET DIV_SET MOD_SET ADD_SET SUB_SET SHL_SET SHR_SET AND_SET XOR_SET OR_SET
AUTO BREAK CASE CHAR CONST CONTINUE DEFAULT DO DOUBLE ELSE ENUM EXTERN FLOAT FOR GOTO IF INLINE INT
LONG REGISTER RESTRICT RETURN SHORT SIGNED SIZEOF STATIC STRUCT SWITCH TYPEDEF UNION UNSIGNED VOID
VOLATILE WHILE ALIGNAS ALIGNOF ATOMIC BOOL COMPLEX GENERIC IMAGINARY NORETURN STATIC_ASSERT
THREAD_LOCAL ATTRIBUTE ASM TYPEOF EXTENSION REAL IMAG LABEL VA_ARG OFFSETOF AUTO_TYPE INT128
ATTR_OPEN ATTR_CLOSE SCOPE CONSTEXPR NULLPTR TRUE FALSE TYPEOF_UNQUAL BIT_INT DECIMAL32 DECIMAL64
"""

_RULES = """
unit: external | unit external ;
external: function | declaration | ';' | ASM '(' string ')' ';' ;
function: specifiers declarator body | specifiers declarator old_parameters body
  | declarator body | declarator old_parameters body ;
old_parameters: declaration | old_parameters declaration ;

primary: NAME | ENUM_CONSTANT | NUMBER | NULLPTR | TRUE | FALSE | string
  | '(' expression ')' | '(' body ')'
  | GENERIC '(' assignment ',' choices ')'
  | VA_ARG '(' assignment ',' type ')' | OFFSETOF '(' type ',' member_path ')' ;
string: STRING | string STRING ;
choices: choice | choices ',' choice ;
choice: type ':' assignment | DEFAULT ':' assignment ;
member_path: NAME | member_path '.' NAME | member_path '[' expression ']' ;
postfix: primary | postfix '[' expression ']' | postfix '(' ')' | postfix '(' arguments ')'
  | postfix '.' NAME | postfix ARROW NAME | postfix INC | postfix DEC
  | '(' type ')' '{' initializers '}' | '(' type ')' '{' initializers ',' '}'
  | '(' type ')' '{' '}' ;
arguments: assignment | arguments ',' assignment ;
unary: postfix | INC unary | DEC unary | unary_operator cast | SIZEOF unary | SIZEOF '(' type ')'
  | ALIGNOF '(' type ')' | ALIGNOF unary | ANDAND NAME ;
unary_operator: '&' | '*' | '+' | '-' | '~' | '!' | EXTENSION | REAL | IMAG ;
cast: unary | '(' type ')' cast ;
@LADDER@
conditional: logic_or | logic_or '?' expression ':' conditional | logic_or '?' ':' conditional ;
assignment: conditional | unary set assignment ;
set: '=' | MUL_SET | DIV_SET | MOD_SET | ADD_SET | SUB_SET | SHL_SET | SHR_SET | AND_SET | XOR_SET
  | OR_SET ;
expression: assignment | expression ',' assignment ;
constant: conditional ;

declaration: specifiers ';' | specifiers declared ';' | static_assert | EXTENSION declaration ;
static_assert: STATIC_ASSERT '(' constant ',' string ')' ';' | STATIC_ASSERT '(' constant ')' ';' ;
specifiers: specifier | specifiers specifier ;
specifier: storage | type_word | qualifier | function_word | alignment | attribute ;
declared: initialized | declared ',' initialized ;
initialized: declarator asm_name attributes_opt
  | declarator asm_name attributes_opt '=' initializer ;
asm_name: %empty | ASM '(' string ')' ;
storage: TYPEDEF | CONSTEXPR | EXTERN | STATIC | THREAD_LOCAL | AUTO | REGISTER ;
type_word: VOID | CHAR | SHORT | INT | LONG | FLOAT | DOUBLE | SIGNED | UNSIGNED | BOOL | COMPLEX
  | IMAGINARY | INT128 | AUTO_TYPE | ATOMIC '(' type ')' | record | enumeration | TYPE_NAME
  | BIT_INT '(' constant ')' | DECIMAL32 | DECIMAL64
  | TYPEOF_UNQUAL '(' expression ')' | TYPEOF_UNQUAL '(' type ')'
  | TYPEOF '(' expression ')' | TYPEOF '(' type ')' ;
record: record_word attributes_opt '{' members '}' | record_word attributes_opt NAME '{' members '}'
  | record_word attributes_opt NAME | record_word attributes_opt TYPE_NAME
  | record_word attributes_opt '{' '}' | record_word attributes_opt TYPE_NAME '{' members '}' ;
record_word: STRUCT | UNION ;
members: member | members member ;
member: member_specifiers ';' | member_specifiers member_declarators ';' | static_assert
  | EXTENSION member | ';' ;
member_specifiers: member_specifier | member_specifiers member_specifier ;
member_specifier: type_word | qualifier | alignment | attribute ;
member_declarators: member_declarator | member_declarators ',' member_declarator ;
member_declarator: declarator attributes_opt | ':' constant attributes_opt
  | declarator ':' constant attributes_opt ;
enumeration: ENUM attributes_opt '{' enumerators comma_opt '}'
  | ENUM attributes_opt NAME '{' enumerators comma_opt '}'
  | ENUM attributes_opt NAME | ENUM attributes_opt TYPE_NAME ;
enumerators: enumerator | enumerators ',' enumerator ;
enumerator: enumerator_name attributes_opt | enumerator_name attributes_opt '=' constant ;
enumerator_name: NAME | ENUM_CONSTANT ;
comma_opt: %empty | ',' ;
qualifier: CONST | RESTRICT | VOLATILE | ATOMIC ;
function_word: INLINE | NORETURN ;
alignment: ALIGNAS '(' type ')' | ALIGNAS '(' constant ')' ;
attributes_opt: %empty | attributes ;
attributes: attribute | attributes attribute ;
attribute: ATTRIBUTE '(' '(' attribute_list ')' ')' | brackets ;
brackets: ATTR_OPEN bracket_list ATTR_CLOSE ;
bracket_list: bracket_item | bracket_list ',' bracket_item ;
bracket_item: %empty | NAME | NAME SCOPE NAME | NAME '(' arguments ')'
  | NAME SCOPE NAME '(' arguments ')' ;
attribute_list: attribute_item | attribute_list ',' attribute_item ;
attribute_item: %empty | attribute_word | attribute_word '(' ')'
  | attribute_word '(' arguments ')' ;
attribute_word: NAME | CONST | TYPE_NAME | NORETURN ;

declarator: pointer direct_declarator | direct_declarator ;
direct_declarator: NAME | '(' declarator ')' | direct_declarator array
  | direct_declarator '(' parameters ')' | direct_declarator '(' ')'
  | direct_declarator '(' names ')' ;
array: '[' ']' | '[' assignment ']' | '[' qualifiers ']' | '[' qualifiers assignment ']'
  | '[' STATIC assignment ']' | '[' STATIC qualifiers assignment ']'
  | '[' qualifiers STATIC assignment ']' | '[' '*' ']' | '[' qualifiers '*' ']' ;
pointer: '*' pointer_words | '*' pointer_words pointer ;
pointer_words: %empty | pointer_words qualifier | pointer_words attribute ;
qualifiers: qualifier | qualifiers qualifier ;
parameters: parameter_list | parameter_list ',' ELLIPSIS ;
parameter_list: parameter | parameter_list ',' parameter ;
parameter: specifiers declarator attributes_opt | specifiers abstract_declarator attributes_opt
  | specifiers ;
names: NAME | names ',' NAME ;
type: type_specifiers | type_specifiers abstract_declarator ;
type_specifiers: member_specifier | type_specifiers member_specifier ;
abstract_declarator: pointer | pointer direct_abstract | direct_abstract ;
direct_abstract: '(' abstract_declarator ')' | array | direct_abstract array | '(' ')'
  | '(' parameters ')' | direct_abstract '(' ')' | direct_abstract '(' parameters ')' ;
initializer: assignment | '{' initializers comma_opt '}' | '{' '}' ;
initializers: designated | initializers ',' designated ;
designated: initializer | designators '=' initializer | NAME ':' initializer ;
designators: designator | designators designator ;
designator: '[' constant ']' | '[' constant ELLIPSIS constant ']' | '.' NAME ;

statement: labelled | body | simple | choice_statement | loop | jump | asm_statement ;
labelled: NAME ':' attributes_opt statement | CASE constant ':' statement
  | CASE constant ELLIPSIS constant ':' statement | DEFAULT ':' statement ;
body: '{' '}' | '{' items '}' | '{' local_labels items '}' ;
local_labels: local_label | local_labels local_label ;
local_label: LABEL names ';' ;
items: item | items item ;
item: declaration | statement | nested_function ;
nested_function: specifiers declarator body ;
simple: ';' | expression ';' | brackets ';' ;
choice_statement: IF '(' expression ')' statement %prec THEN
  | IF '(' expression ')' statement ELSE statement | SWITCH '(' expression ')' statement ;
loop: WHILE '(' expression ')' statement | DO statement WHILE '(' expression ')' ';'
  | FOR '(' simple simple ')' statement | FOR '(' simple simple expression ')' statement
  | FOR '(' declaration simple ')' statement | FOR '(' declaration simple expression ')' statement ;
jump: GOTO NAME ';' | GOTO '*' expression ';' | CONTINUE ';' | BREAK ';' | RETURN ';'
  | RETURN expression ';' ;
asm_statement: ASM asm_words '(' asm_text ')' ';' ;
asm_words: %empty | asm_words VOLATILE | asm_words GOTO | asm_words INLINE ;
asm_text: string | string ':' operands | string ':' operands ':' operands
  | string ':' operands ':' operands ':' clobbers
  | string ':' operands ':' operands ':' clobbers ':' names ;
operands: %empty | operand_list ;
operand_list: operand | operand_list ',' operand ;
operand: string '(' expression ')' | '[' NAME ']' string '(' expression ')' ;
clobbers: %empty | clobber_list ;
clobber_list: string | clobber_list ',' string ;
"""


def _ladder() -> str:
    rules = []
    for name, tighter, operators in _LADDER:
        cases = "".join(f" | {name} {operator} {tighter}" for operator in operators.split())
        rules.append(f"{name}: {tighter}{cases} ;")
    return "\n".join(rules)


def write(path: Path) -> None:
    names = _TOKENS.split()
    tokens = "\n".join(f"%token {name}" for name in names)
    path.write_text(
        f"{tokens}\n%nonassoc THEN\n%nonassoc ELSE\n%start unit\n%%\n"
        f"{_RULES.replace('@LADDER@', _ladder()).strip()}\n%%\n"
    )


def write_small(path: Path) -> None:
    """The binary operators alone, for a quick run."""
    tokens = "SHL SHR LE GE EQ NE ANDAND OROR NUMBER"
    path.write_text(f"%token {tokens}\n%start logic_or\n%%\n{_ladder()}\ncast: NUMBER ;\n%%\n")
