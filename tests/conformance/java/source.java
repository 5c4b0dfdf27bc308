package com.example.shapes;

import java.util.List;
import static java.util.Map.entry;

/** A shape. */
@Deprecated(since = "1")
public abstract sealed class Shape<T extends Number> extends Base implements Drawable permits Circle {
    public static final int MAX = 3, MIN = 1;
    private final List<String> names = new ArrayList<>();
    protected int width, height;
    String packageWide;

    static {
        int local = 1;
    }

    public Shape(String name) {
        super(name);
        this.names.add(name);
    }

    /** Area. */
    public abstract double area();

    @Override
    public <R> R accept(Visitor<R> visitor, int... rest) throws IOException {
        var result = visitor.visit(this);
        Runnable run = () -> log("x");
        Object nameless = new Object() {
            void inNameless() {}
        };
        if (result instanceof Point(int x, int y) && x > 0) {
            return switch (x) { case 1 -> null; default -> { yield result; } };
        }
        return result;
    }

    private void hidden() {
        class Local { void inLocal() {} }
    }

    static class Nested {
        int value;
        class Deep { void go() {} }
    }

    interface Visitor<R> {
        int LIMIT = 5;
        R visit(Shape<?> shape);
        default void done() { finish(); }
    }

    @interface Marker {
        String value() default "x";
        int[] sizes() default {};
    }
}

enum Color implements Named {
    RED("r") {
        @Override String code() { return "R"; }
    },
    GREEN, BLUE;

    private final String letter = "x";

    Color() {}
    Color(String letter) { }

    String code() { return letter; }
}

record Point(int x, int y) implements Comparable<Point> {
    static int created;

    Point {
        check(x);
    }

    public int compareTo(Point other) {
        String text = """
            class NotAClass { void no() {} }
            """;
        return 0;
    }
}

non-sealed class Circle extends Shape<Integer> {
    Circle() { super("c"); }
    public double area() { return Math.PI; }
}
