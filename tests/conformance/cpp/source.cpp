#include <vector>
#include "shape.hpp"
#define CHECK(x) if (!(x)) fail()

namespace geometry::detail {

// Base of all.
template <typename T, int N = 3>
class Shape : public Base<T>, private Other {
public:
    Shape() = default;
    explicit Shape(int sides) noexcept;
    virtual ~Shape();
    Shape(const Shape&) = delete;
    Shape& operator=(const Shape& other);
    bool operator==(const Shape&) const = default;
    explicit operator bool() const;
    virtual double area() const = 0;
    [[nodiscard]] auto sides() const -> int { return sides_; }
    template <class U> void convert(U&& value);
    static constexpr int kMax = 10;
    using value_type = T;
    enum class Kind : char { Round, Square = 2 };
    struct Nested {
        int value = 0;
        void go();
    };
    friend class Printer;
    friend std::ostream& operator<<(std::ostream&, const Shape&);
protected:
    int guarded_;
private:
    int sides_, *pointer_ = nullptr;
    void (*callback_)(int) = nullptr;
    std::vector<int> items_{1, 2};
};

template <typename T, int N>
double Shape<T, N>::area() const { return compute(sides_); }

struct Plain { int a; int b; };
union Either { int i; float f; };
enum Old { kOne, kTwo };

inline constexpr int kLimit = 5;
static int hidden = 1;
extern int external;

template <typename T>
concept Drawable = requires(T t) { t.draw(); };

template <> struct Traits<int> { using type = long; };

void free_function(int a, std::string b = "x");
auto later(int x) -> decltype(x) { auto lambda = [&](int y) { return y; }; return lambda(x); }

}  // namespace geometry::detail

geometry::detail::Plain::Plain() : a(1), b(2) {}
void Printer::print(const Shape<int>& shape) const {
    int local = 1;
    shape.draw();
    struct InFunction { int z; };
}
Printer::~Printer() {}
bool Printer::operator()(int x) { return x; }
int Printer::instances = 0;

namespace {
int in_nameless() { return 1; }
}

namespace short_name = geometry::detail;
extern "C" {
int c_api(void);
}
typedef std::map<std::string, int> Table;
typedef struct { int q; } Anonymous;
class Forward;

int main() {
    if (auto [x, y] = pair(); x) { go(y); }
    return 0;
}
