// Makes elements. Data becomes text nodes and attributes, never HTML.

export function byId<Type extends HTMLElement = HTMLElement>(id: string): Type {
  return document.getElementById(id) as Type
}

type Child = Node | string

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  attributes: Readonly<Record<string, string>> = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value)
  made.append(...children)
  return made
}

/** Writes a text only where it is another: what a screen reader or a selection stands in stays. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text
}
