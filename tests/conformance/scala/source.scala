package com.example.shapes

import scala.collection.{Map, Set}
import java.util.List as JList

/** A shape. */
@deprecated("x")
abstract class Shape[T](val name: String, private var width: Int, plain: Int) extends Base with Drawable {
  val sides, corners = 4
  var height: Int = 1
  private lazy val hidden = compute()
  val (first, second) = (1, 2)
  type Item = T
  def this(name: String) = this(name, 1, 2)
  def area: Double
  override def draw(canvas: Canvas): Unit = {
    val local = 1
    def inner(x: Int) = x
    canvas.render(inner(local))
  }
  private def secret(): Unit = ()
  protected[shapes] def generic[A <: Shape[_], B](
    a: A,
    b: B
  )(implicit ord: Ordering[B]): Either[A, B] = Left(a)
  class Inner { def go = 1 }
  object Companion { val value = 1 }
}

object Shape {
  val Max = 3
  implicit def convert(x: Int): Shape[Int] = ???
  def apply(name: String): Shape[Int] = new Shape[Int](name) {
    def inNameless = 1
  }
}

trait Drawable {
  val depth: Int
  var state: String
  def draw(canvas: Canvas): Unit
  def done(): Unit = finish()
}

sealed trait Tree
case class Node(left: Tree, right: Tree) extends Tree
case object Leaf extends Tree

case class Point(x: Int, y: Int = 0) {
  def +(other: Point): Point = Point(x + other.x, y + other.y)
}

enum Color(val rgb: Int):
  case Red extends Color(1)
  case Green, Blue
  case Custom(r: Int)
  def code: String = "x"

given ordering: Ordering[Point] with
  def compare(a: Point, b: Point): Int = 0

extension (text: String)
  def shout: String = text.toUpperCase

type Table = Map[String, Int]

def topLevel(a: Int): Int =
  val inside = a
  inside match
    case 1 => go()
    case _ => 2

val topValue = 1
package object utils { def helper = 1 }
