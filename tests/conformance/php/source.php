<?php
declare(strict_types=1);

namespace App\Shapes;

use App\Base\Thing;
use App\Other\{First, Second as Two};
use function App\helper;

const TOP = 1;
define('DEFINED', 2);
require_once 'boot.php';

/** A shape. */
#[Entity(table: 'x')]
abstract class Shape extends Thing implements Drawable, \Countable
{
    use Loggable, Other;

    public const MAX = 1, MIN = 0;
    private const string HIDDEN = 'x';
    public static ?int $count = 0, $other;
    protected array $items = [
        'a' => 1,
    ];
    private readonly string $secret;
    public string $hooked { get => $this->secret; set => strtolower($value); }

    public function __construct(
        private readonly int $width,
        protected ?string $label = null,
        int $plain = 1,
    ) {
        parent::__construct();
        $local = new Helper($width);
    }

    abstract public function area(): float;

    /** Draws. */
    final public static function make(int ...$rest): static
    {
        $closure = function ($a) use ($rest) { return inner($a); };
        $arrow = fn($x) => $x;
        return match (true) {
            default => new static(...$rest),
        };
    }

    private function hidden(): void
    {
        $this->call()?->next(first(...));
    }

    public function __get($name) { return self::find($name); }
}

interface Drawable extends Base
{
    const DEPTH = 3;
    public function draw(Canvas $canvas): void;
}

trait Loggable
{
    private array $log = [];
    abstract protected function name(): string;
    public function log(string $text): void {}
}

enum Suit: string implements HasLabel
{
    case Hearts = 'H';
    case Spades = 'S';
    const Wild = self::Spades;

    public function label(): string { return ucfirst($this->name); }
    public static function fromLabel(string $label): self { return self::Hearts; }
}

final readonly class Point
{
    public function __construct(public int $x = 0, public int $y = 0) {}
}

function free(int|string $a, &$b, ...$c): ?int
{
    function nested() {}
    $inside = 1;
    return null;
}

$handler = function () { return 1; };
$config = ['a' => 1];
if (!function_exists('polyfill')) {
    function polyfill() {}
}

$object = new class extends Shape {
    public function inNameless() {}
};
?>
<p><?= $config['a'] ?></p>
