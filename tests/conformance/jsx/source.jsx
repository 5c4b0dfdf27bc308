import React from "react";
import { connect } from "./store";
const PropTypes = require("prop-types");

export const MAX_ITEMS = 20;
let mounted = 0;

/** A list. */
export function List({ items, onPick, ...rest }) {
  const [active, setActive] = React.useState(0);
  const pick = (index) => { setActive(index); onPick(items[index]); };
  return (
    <ul {...rest}>
      {items.map((item, index) => <Row key={item.id} onClick={() => pick(index)} {...item} />)}
      function notOne() {'{}'}
    </ul>
  );
}
List.propTypes = { items: PropTypes.array };
List.Empty = () => <p>Nothing</p>;
List.prototype.old = function () {};

export const Row = ({ id, name }) => <li id={id}>{name}</li>;
const Memo = React.memo(function Inner({ name }) {
  const hidden = name.length;
  return <b>{hidden}</b>;
});
export const withTheme = (Component) => function Themed(props) {
  return <Component {...props} theme={theme} />;
};
var Legacy = React.createClass({
  getInitialState() { return { open: false }; },
  render: function () { return <div className="legacy" />; },
});

export class Panel extends React.Component {
  static defaultProps = { wide: true };
  state = { open: false };
  #timer;
  constructor(props) {
    super(props);
    this.clock = props.clock;
  }
  static getDerivedStateFromProps(props, state) { return null; }
  get isOpen() { return this.state.open; }
  set isOpen(open) { this.setState({ open }); }
  handleToggle = () => this.setState((state) => ({ open: !state.open }));
  async load() { const data = await fetch("/"); return data; }
  *walk() { yield 1; }
  #stop() { clearTimeout(this.#timer); }
  componentDidMount() { mounted += 1; }
  render() {
    const label = "class NotThis {}";
    return <><header>{label}</header>{/* const inComment = 1 */}</>;
  }
}

function Layout(props) {
  function Sidebar() { return <aside />; }
  return <main><Sidebar />{props.children}</main>;
}
export async function prefetch(path) { await import("./page"); }
export function* steps() { yield <List items={[]} />; }
const reducers = {
  open(state) { return { ...state, open: true }; },
  close: (state) => ({ ...state, open: false }),
  initial: { open: false },
  nested: { toggle() {} },
};
export const Connected = connect((state) => state.list)(List);
const Styled = styled.div`
  function inStyle() {}
`;
const icons = { star: <svg />, get moon() { return <svg />; } };
exports.helper = function () { return <i />; };
module.exports.Extra = class extends Panel { render() { return null; } };
if (mounted) { var Conditional = () => <hr />; }
export { Layout as Page, Memo };
export default class App { render() { return <Layout />; } }
