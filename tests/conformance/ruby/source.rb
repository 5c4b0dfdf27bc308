require "set"
require_relative "./helper"

MAX_SIZE = 10
LIST = %w[
  a b
].freeze

# A shape.
# In two lines.
module Geometry
  VERSION = "1.0"

  class Error < StandardError; end

  module_function

  def self.build(kind, **options)
    local = kind.new(options)
    local.draw
  end

  class Shape < Base
    include Comparable
    extend Forwardable

    attr_accessor :width, :height
    attr_reader :name
    attr_writer :color
    SIDES = 4

    def initialize(name, width: 1, &block)
      @name = name
      value = 1
    end

    def area = width * height

    def <=>(other)
      area <=> other.area
    end

    def [](index) = index
    def name=(value); end
    def empty?; true; end
    def save!; persist(self); end

    class << self
      attr_accessor :registry

      def create(*args) = new(*args)

      private

      def hidden_singleton; end
    end

    alias size area
    alias_method :old_name, :name
    define_method(:dynamic) { |x| x }

    protected

    def guarded; end

    private

    def secret
      lambda { |x| inner_call(x) }
    end

    public

    def visible; end

    private def inline_private; end

    Point = Struct.new(:x, :y) do
      def distance; end
    end

    class Nested::Deep
      def go; end
    end
  end
end

class Geometry::Circle < Geometry::Shape
  RADIUS, OTHER = 1, 2

  def area
    case [x, y]
    in [Integer => a, *] then a
    end
  end
end

def top_level(a, b = 2)
  <<~TEXT
    def not_a_method; end
  TEXT
end

describe "something" do
  it("works") { def in_block; end }
end

Result = Data.define(:ok) do
  def good? = ok
end

module Mixins
  LIMIT = 3

  def mixed_in; end
end
