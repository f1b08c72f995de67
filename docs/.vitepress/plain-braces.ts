type Render = (...args: never[]) => string

interface Markdown {
  renderer: { rules: Record<string, Render | undefined> }
}

/** Documents show `{{` as it is. Vue would work out what stands between them, and leave the whole page empty where it cannot. */
export const plainBraces = ({ renderer: { rules } }: Markdown): void => {
  for (const rule of ['text', 'code_inline']) {
    const render = rules[rule]
    if (render) rules[rule] = (...args) => render(...args).replaceAll('{{', '&#123;&#123;')
  }
}
