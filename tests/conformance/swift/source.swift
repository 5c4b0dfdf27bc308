import Foundation
import struct Other.Thing

/// A shape.
@MainActor
public final class Shape<T: Equatable>: Base, Drawable {
    static let max = 3
    private let hidden = 1, other: Int = 2
    public var name: String
    var computed: Int { count + 1 }
    var observed: Int = 0 {
        didSet { update() }
    }
    @Published private(set) var wrapped = ""
    lazy var later: Int = {
        return 1
    }()

    public init(name: String) throws {
        let local = 1
        self.name = name
    }
    convenience init?() { return nil }
    deinit { close() }

    /// Draws.
    @discardableResult
    public func draw(_ canvas: Canvas, at point: Point...) async throws -> Int {
        func inner(x: Int) -> Int { x }
        let closure = { (a: Int) in a }
        return canvas.render(inner(x: 1))
    }
    private func secret() {}
    class func make() -> Self { fatalError() }
    subscript(index: Int) -> Int {
        get { index }
        set {}
    }
    static func == (a: Shape, b: Shape) -> Bool { true }

    struct Nested {
        var value: Int
        enum Deep { case one }
    }
    typealias Item = T
}

struct Point {
    var x, y: Double
    mutating func move(by amount: Double) { x += amount }
}

enum Color: String, CaseIterable {
    case red, green = "g"
    case custom(Int, label: String)
    var code: String { rawValue }
    static func parse(_ text: String) -> Color? { nil }
}

protocol Drawable: AnyObject {
    associatedtype Canvas
    var depth: Int { get set }
    func draw(on canvas: Canvas)
    static func create() -> Self
}

extension Point: Drawable where Self: Sendable {
    var length: Double { 0 }
    func scaled() -> Point { self }
}

actor Store {
    private var items: [String] = []
    func add(_ item: String) { items.append(item) }
}

indirect enum Tree<T> {
    case leaf
    case node(Tree, Tree)
}

typealias Handler = (Int) -> Void
let topLevel = 1
var mutable: String = "x"
func free<A, B>(_ a: A, b: B) -> some View where A: Hashable {
    guard let x = a as? Int else { return b }
    if let x { go(x) }
    return b
}
fileprivate func onlyHere() {}
func +++ (a: Int, b: Int) -> Int { a }
