package com.example.shapes

import kotlin.math.PI
import other.Thing as Renamed

const val MAX = 10
val topLevel: Int = 1
private var hidden = "x"
val lazyValue by lazy { compute() }

/** A shape. */
@Serializable
sealed class Shape<T : Any>(val name: String, private var width: Int, plain: Int) : Base(name), Drawable {
    companion object {
        const val SIDES = 4
        fun create(): Shape<*> = TODO()
    }

    abstract val area: Double
    lateinit var label: String
    protected open val computed: Int
        get() = field + 1
    var watched: Int = 0
        set(value) {
            field = value
        }
    val (first, second) = pair()

    constructor(name: String) : this(name, 1, 2) {
        val local = 1
    }

    init {
        val inInit = 2
    }

    /** Draws. */
    override fun draw(canvas: Canvas) {
        val inner = { x: Int -> x }
        fun localFunction() {}
        canvas.render(inner)
    }

    private suspend fun <R> hiddenMethod(
        block: suspend () -> R,
        vararg rest: Int,
    ): R = block()

    infix operator fun plus(other: Shape<T>): Shape<T> = this

    inner class Inner {
        fun go() = 1
    }

    object Single : Shape<Int>("s", 1, 2) {
        val value = 1
    }
}

interface Drawable {
    val depth: Int
    fun draw(canvas: Canvas)
    fun done() {
        finish()
    }
}

fun interface Handler {
    fun handle(event: Event): Boolean
}

enum class Color(val rgb: Int) {
    RED(1) {
        override fun code() = "r"
    },
    GREEN(2);

    open fun code() = "x"
}

data class Point(val x: Int, val y: Int = 0)

@JvmInline
value class Id(val raw: String)

annotation class Marker(val text: String)

object Registry {
    private val items = mutableListOf<String>()
    fun add(item: String) { items.add(item) }
}

typealias Table = Map<String, List<Int>>

fun String.shout(): String = uppercase()

internal inline fun <reified T> generic(value: T) where T : Any {
    when (value) {
        is String -> go()
        else -> Unit
    }
    val text = """
        class NotAClass
    """
}

val nameless = object : Drawable {
    override fun draw(canvas: Canvas) {}
}
