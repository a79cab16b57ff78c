#include <stdlib.h>
extern int more(void);
typedef struct node { struct node *next, *prev; int value; } Node;
typedef struct tree { struct tree *left, *right; int value; } Tree;
