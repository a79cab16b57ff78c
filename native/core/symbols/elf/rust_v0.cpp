// Rust's v0 names ("_RNvCs1234_7mycrate4main"), after RFC 2603. Lifetimes are left out of types and
// crate hashes out of paths, as in panic messages.
// SPDX-License-Identifier: GPL-2.0-or-later
#include "symbols/elf/demangle.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace heapstory {

namespace {

constexpr int max_depth = 200;
constexpr size_t max_length = 16384; // backreferences can make a name grow without bounds

const char *basic_type(char tag) {
    switch (tag) {
    case 'a':
        return "i8";
    case 'b':
        return "bool";
    case 'c':
        return "char";
    case 'd':
        return "f64";
    case 'e':
        return "str";
    case 'f':
        return "f32";
    case 'h':
        return "u8";
    case 'i':
        return "isize";
    case 'j':
        return "usize";
    case 'l':
        return "i32";
    case 'm':
        return "u32";
    case 'n':
        return "i128";
    case 'o':
        return "u128";
    case 'p':
        return "_";
    case 's':
        return "i16";
    case 't':
        return "u16";
    case 'u':
        return "()";
    case 'v':
        return "...";
    case 'x':
        return "i64";
    case 'y':
        return "u64";
    case 'z':
        return "!";
    default:
        return nullptr;
    }
}

class Parser {
  public:
    explicit Parser(std::string_view text) : text_(text) {}

    bool run(std::string &name) {
        path();
        name = std::move(out_);
        return !failed_ && !name.empty();
    }

  private:
    struct Identifier {
        uint64_t number = 0;
        std::string_view name;
    };

    char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
    char next() { return at_ < text_.size() ? text_[at_++] : (failed_ = true, '\0'); }
    bool take(char c) { return peek() == c ? (++at_, true) : false; }
    void put(std::string_view text) {
        if (!silent_)
            out_ += text;
        if (out_.size() > max_length)
            failed_ = true;
    }
    bool deeper() {
        if (++depth_ > max_depth || ++steps_ > 20000)
            failed_ = true;
        return !failed_;
    }

    uint64_t base62() { // "_" is 0, "0_" is 1
        if (take('_'))
            return 0;
        uint64_t value = 0;
        for (char c = next(); !failed_ && c != '_'; c = next()) {
            int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'z' ? c - 'a' + 10
                        : c >= 'A' && c <= 'Z' ? c - 'A' + 36
                                               : -1;
            if (digit < 0)
                failed_ = true;
            value = value * 62 + static_cast<uint64_t>(digit);
        }
        return value + 1;
    }

    Identifier identifier() {
        Identifier found;
        if (take('s'))
            found.number = base62() + 1;
        take('u'); // punycode: shown as it is
        size_t length = 0;
        if (peek() < '0' || peek() > '9')
            failed_ = true;
        if (!take('0')) // a leading zero is the whole number: closures have no name
            while (peek() >= '0' && peek() <= '9' && length < text_.size())
                length = length * 10 + static_cast<size_t>(next() - '0');
        take('_');
        if (failed_ || length > text_.size() - at_) {
            failed_ = true;
            return found;
        }
        found.name = text_.substr(at_, length);
        at_ += length;
        return found;
    }

    template <typename Action> void backreference(Action action) {
        size_t start = at_ - 1;
        uint64_t target = base62();
        if (failed_ || target >= start) {
            failed_ = true;
            return;
        }
        if (silent_)
            return;
        size_t after = at_;
        at_ = static_cast<size_t>(target);
        action();
        at_ = after;
    }

    void hidden_path() {
        bool before = silent_;
        silent_ = true;
        path();
        silent_ = before;
    }

    void path();
    void nested();
    void generic_arguments();
    void type();
    void constant();
    void function_type();
    void dynamic_type();

    std::string_view text_;
    size_t at_ = 0;
    std::string out_;
    bool failed_ = false, silent_ = false;
    int depth_ = 0, steps_ = 0;
};

void Parser::nested() {
    char space = next();
    path();
    Identifier id = identifier();
    if (space >= 'A' && space <= 'Z') {
        put("::{");
        put(space == 'C' ? "closure" : space == 'S' ? "shim" : std::string_view(&space, 1));
        if (!id.name.empty()) {
            put(":");
            put(id.name);
        }
        put("#" + std::to_string(id.number) + "}");
    } else if (!id.name.empty()) {
        put("::");
        put(id.name);
    }
}

void Parser::generic_arguments() {
    put("<");
    for (bool first = true; !failed_ && !take('E'); first = false) {
        if (take('L')) {
            base62();
            put(first ? "'_" : ", '_");
            continue;
        }
        if (!first)
            put(", ");
        take('K') ? constant() : type();
    }
    put(">");
}

void Parser::path() {
    if (!deeper())
        return;
    switch (next()) {
    case 'C':
        put(identifier().name);
        break;
    case 'N':
        nested();
        break;
    case 'M':
    case 'X': {
        bool trait = text_[at_ - 1] == 'X';
        if (take('s'))
            base62();
        hidden_path();
        put("<");
        type();
        if (trait) {
            put(" as ");
            path();
        }
        put(">");
        break;
    }
    case 'Y':
        put("<");
        type();
        put(" as ");
        path();
        put(">");
        break;
    case 'I':
        path();
        generic_arguments();
        break;
    case 'B':
        backreference([&] { path(); });
        break;
    default:
        failed_ = true;
    }
    --depth_;
}

void Parser::function_type() {
    if (take('G'))
        base62();
    if (take('U'))
        put("unsafe ");
    if (take('K')) {
        put("extern \"");
        put(take('C') ? "C" : identifier().name);
        put("\" ");
    }
    put("fn(");
    for (bool first = true; !failed_ && !take('E'); first = false) {
        if (!first)
            put(", ");
        type();
    }
    put(")");
    if (!take('u')) {
        put(" -> ");
        type();
    }
}

void Parser::dynamic_type() {
    put("dyn ");
    if (take('G'))
        base62();
    for (bool first = true; !failed_ && !take('E'); first = false) {
        if (!first)
            put(" + ");
        path();
        while (!failed_ && take('p')) {
            if (!silent_ && out_.ends_with('>')) { // belongs to the arguments of the trait
                out_.pop_back();
                put(", ");
            } else {
                put("<");
            }
            put(identifier().name);
            put(" = ");
            type();
            put(">");
        }
    }
    if (take('L'))
        base62();
}

void Parser::type() {
    if (!deeper())
        return;
    char tag = peek();
    if (const char *name = basic_type(tag)) {
        ++at_;
        put(name);
    } else if (tag == 'R' || tag == 'Q') {
        ++at_;
        if (take('L'))
            base62();
        put(tag == 'R' ? "&" : "&mut ");
        type();
    } else if (tag == 'P' || tag == 'O') {
        ++at_;
        put(tag == 'P' ? "*const " : "*mut ");
        type();
    } else if (tag == 'A' || tag == 'S') {
        ++at_;
        put("[");
        type();
        if (tag == 'A') {
            put("; ");
            constant();
        }
        put("]");
    } else if (tag == 'T') {
        ++at_;
        put("(");
        size_t count = 0;
        for (; !failed_ && !take('E'); ++count) {
            if (count)
                put(", ");
            type();
        }
        put(count == 1 ? ",)" : ")");
    } else if (tag == 'F') {
        ++at_;
        function_type();
    } else if (tag == 'D') {
        ++at_;
        dynamic_type();
    } else if (tag == 'B') {
        ++at_;
        backreference([&] { type(); });
    } else {
        path();
    }
    --depth_;
}

void Parser::constant() {
    if (take('B')) {
        backreference([&] { constant(); });
        return;
    }
    if (take('p')) {
        put("_");
        return;
    }
    char kind = next();
    if (!basic_type(kind)) // structures and strings as parameters: unstable, rare
        failed_ = true;
    bool negative = take('n');
    uint64_t value = 0;
    size_t start = at_;
    for (char c = next(); !failed_ && c != '_'; c = next()) {
        bool digit = c >= '0' && c <= '9';
        if (!digit && (c < 'a' || c > 'f'))
            failed_ = true;
        value = value * 16 + static_cast<uint64_t>(digit ? c - '0' : c - 'a' + 10);
    }
    if (at_ - start > 17) // more than 64 bits
        put("0x" + std::string(text_.substr(start, at_ - start - 1)));
    else if (kind == 'b')
        put(value ? "true" : "false");
    else
        put((negative ? "-" : "") + std::to_string(value));
}

} // namespace

std::string demangle_rust_v0(std::string_view name) {
    std::string_view rest = name.substr(2);
    size_t end = rest.find('.'); // ".llvm.123" and the like
    std::string text;
    if (Parser(rest.substr(0, end)).run(text))
        return text;
    return std::string(name);
}

} // namespace heapstory
