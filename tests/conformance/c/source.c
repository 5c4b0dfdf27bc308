#include <stdio.h>
#include "shapes.h"

#define MAX_SIDES 12
#define SQUARE(x) ((x) * (x))
#ifdef DEBUG
#define LOG(...) fprintf(stderr, __VA_ARGS__)
#else
#define LOG(...)
#endif
#define MULTI(a, b) \
    do { use(a); } while (0)

/* A point. */
struct point {
    int x, y;
    const char *label;
    struct {
        int deep;
    } inner;
    union { float f; int i; };
    unsigned flags : 3;
    void (*draw)(struct point *self);
};

typedef struct point point_t;

typedef struct {
    double width;
    double height[3];
} size_s, *size_p;

typedef struct node {
    struct node *next;
} node_t;

typedef enum { RED, GREEN = 5, BLUE } color_t;
enum mode { MODE_READ, MODE_WRITE };
typedef unsigned long ulong_t;
typedef int (*callback)(const char *name, void *data);
typedef int matrix[4][4];

union value {
    int number;
    char *text;
};

extern int external_count;
int global_count = 0, other_count;
static const char *names[] = {
    "a",
    "b",
};
struct point origin = { .x = 0 };
int (*handler)(int);

int declared_only(int a, struct point *p);
static inline void hidden_proto(void);

// Adds.
// In two lines.
int add(int a, int b)
{
    int local = a;
    static int calls;
    struct local_struct { int z; };
    return helper(local) + b;
}

static char *
find_name(const struct point *p,
          int index)
{
    return SQUARE(index) ? p->label : NULL;
}

struct point *make_point(void) { return NULL; }

__attribute__((noreturn)) void die(const char *why) { exit(1); }

int
main(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        printf("%s\n", argv[i]);
    return add(1, 2);
}
