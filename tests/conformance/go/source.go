// Package shapes draws.
package shapes

import (
	"fmt"
	str "strings"
)

// MaxSides bounds.
const MaxSides = 12

const (
	// First is first.
	First = iota
	second
	Third, fourth = "a", "b"
)

var Registry = map[string]Shape{
	"a": nil,
}

var (
	count    int
	left, Right = 1, 2
)

// Shape is drawn.
type Shape interface {
	fmt.Stringer
	// Area in pixels.
	Area() float64
	scale(by float64) (Shape, error)
}

type Number interface {
	~int | ~float64
}

type Point struct {
	X, Y  float64
	Label string `json:"label"`
	inner struct {
		deep int
	}
	*Base
	other.Embedded
	List[int]
}

type (
	Name  string
	alias = Name
	Pair[K comparable, V any] struct {
		Key   K
		Value V
	}
	Handler func(p Point) error
)

// Area of a point.
func (p *Point) Area() float64 {
	local := 3
	const inside = 4
	var also = 5
	helper := func(a int) int { return a }
	return compute(float64(local), helper(inside), also)
}

func (p Point) scale(by float64) (Shape, error) {
	return nil, fmt.Errorf("no %v", by)
}

func (l *List[T]) Push(value T) {
	l.items = append(l.items, value)
}

func (Pair[K, V]) String() string { return str.ToUpper("x") }

type List[T any] struct {
	items []T
}

func Map[T, U any](
	in []T,
	f func(T) U,
) []U {
	out := make([]U, 0, len(in))
	for _, v := range in {
		out = append(out, f(v))
	}
	return out
}

func init() {
	register("x")
}

func external(a int) int

func main() {
	type localType struct{ a int }
	for i := range 10 {
		fmt.Println(i)
	}
	var _ Shape = (*Point)(nil)
}
