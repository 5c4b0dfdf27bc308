using System;
using Alias = System.Collections.Generic.List<int>;

namespace Geometry.Shapes
{
    /// <summary>A shape.</summary>
    [Serializable]
    public abstract partial class Shape<T> : Base, IDrawable where T : class, new()
    {
        public const int Max = 3, Min = 1;
        private static readonly string[] Names = { "a" };
        protected internal int width;
        int hidden;
        public event EventHandler Changed;
        public event EventHandler Custom { add { Hook(); } remove { } }

        public string Name { get; set; } = "x";
        public int Sides => 4;
        public required int Level { get; init; }
        public int this[int index] { get { return index; } }

        static Shape() { }
        public Shape(string name) : base(name)
        {
            var local = new Thing();
            void Inner(int a) { Outer(a); }
            Inner(1);
        }
        ~Shape() { }

        public abstract double Area();
        public virtual async Task<R> RunAsync<R>(
            string path,
            params int[] rest)
        {
            await obj.Call<R>(path);
            Func<int, int> f = x => x;
            return default;
        }
        private void Secret() { }
        void IDrawable.Draw() => Render();
        public static Shape<T> operator +(Shape<T> a, Shape<T> b) => a;
        public static implicit operator int(Shape<T> a) => 1;

        protected class Nested { public int Value; }
        public enum Kind { Round, Square = 2 }
        public delegate void Handler(object sender);
    }

    public interface IDrawable { void Draw(); int Count { get; } }
    internal struct Point { public int X, Y; public Point(int x) { X = x; Y = 0; } }
    public record Person(string First, string Last);
    public readonly record struct Size(int W) { public int H { get; init; } }
    [Flags] enum Access : byte { None = 0, Read = 1, Write = 2 }
    delegate int Compare(int a, int b);
    file class OnlyHere { }
    public static class Extensions
    {
        public static bool IsEmpty(this string text) => text is { Length: 0 };
        public static string Raw() => """
            class NotAClass { }
            """;
    }
    public class Primary(int seed) { public int Next() => seed switch { > 0 => 1, _ => 2 }; }
}
