import React, { useState } from "react";
import type { Theme } from "./theme";

/** What a button takes. */
export interface ButtonProps<T = string> extends Base<T> {
  label: string;
  readonly size?: Size;
  onPress(event: PressEvent): void;
  render?: (value: T) => React.ReactNode;
}

export type Size = "small" | "large";
export type Handlers = { onOpen: () => void; onClose(): void };
export enum Tone { Calm, Loud = "loud" }
export const DEFAULT_SIZE: Size = "small";
const styles = { root: { color: "red" }, title() { return "t"; } };
export const ThemeContext = React.createContext<Theme | null>(null);

/** A button. */
export function Button<T,>({ label, size = "small", ...rest }: ButtonProps<T>): JSX.Element {
  const [pressed, setPressed] = useState(false);
  const handlePress = (event: PressEvent) => setPressed(!pressed);
  function renderIcon() {
    return <Icon name="star" />;
  }
  return (
    <button onClick={handlePress} {...rest}>
      {renderIcon()} {label} const notOne = 1;
      {/* function inComment() {} */}
    </button>
  );
}

export const Card = ({ title, children }: React.PropsWithChildren<{ title: string }>) => <section>{title}{children}</section>;
export const Fancy = React.memo(function FancyInner(props: ButtonProps) {
  return <Button {...props} />;
});
const Input = React.forwardRef<HTMLInputElement, InputProps>((props, ref) => {
  const localValue = 1;
  return <input ref={ref} {...props} />;
});
export const Lazy = React.lazy(() => import("./lazy"));

interface State { open: boolean; count: number }

export class Panel extends React.Component<PanelProps, State> {
  static displayName = "Panel";
  static defaultProps: Partial<PanelProps> = { wide: true };
  state: State = { open: false, count: 0 };
  #timer?: number;
  private ref = React.createRef<HTMLDivElement>();
  constructor(props: PanelProps, private readonly clock: Clock) {
    super(props);
    this.late = 1;
  }
  get isOpen(): boolean { return this.state.open; }
  handleToggle = () => this.setState(({ open }) => ({ open: !open }));
  componentDidMount(): void { this.#timer = start(); }
  protected renderBody() {
    const items = this.props.items.map((item) => <li key={item.id}>{item.name}</li>);
    return <ul>{items}</ul>;
  }
  render() {
    return <div ref={this.ref} title="class NotThis {}"><>{this.renderBody()}</></div>;
  }
}

export function useToggle(initial: boolean): [boolean, () => void];
export function useToggle(initial = false) {
  const [value, setValue] = useState(initial);
  return [value, () => setValue(!value)] as const;
}
export async function load<P extends object>(path: string): Promise<P> { return fetch(path).then((response) => response.json()); }

export namespace Slots {
  export const Header = () => <header />;
  export function Footer() { return <footer>text</footer>; }
}

const routes = [{ path: "/", element: <Card title="a" /> }];
Button.displayName = "Button";
Button.preview = () => <Button label="b" />;
export default Panel;
