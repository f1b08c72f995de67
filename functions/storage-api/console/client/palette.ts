const WAIT_MILLISECONDS = 120

/** Ctrl+K: a box that leads to every page, table and configuration by a part of its name. */
export const watchPalette = (): void => {
  document.addEventListener('keydown', event => {
    if (event.key.toLowerCase() !== 'k' || !(event.ctrlKey || event.metaKey)) return
    event.preventDefault()
    open()
  })
  document.querySelector('[data-palette]')?.addEventListener('click', event => {
    event.preventDefault()
    open()
  })
}

const open = (): void => {
  if (document.querySelector('[data-palette]') === null) return // nobody is signed in
  const dialog = document.createElement('dialog')
  dialog.className = 'palette panel'
  dialog.setAttribute('aria-label', 'Go to')
  const input = document.createElement('input')
  input.type = 'search'
  input.placeholder = 'Go to a page, table or configuration'
  const list = document.createElement('div')
  list.id = 'palette-list'
  list.role = 'listbox'
  list.ariaLabel = 'Places'
  for (const [name, value] of Object.entries({
    role: 'combobox',
    'aria-label': input.placeholder,
    'aria-expanded': 'true',
    'aria-autocomplete': 'list',
    'aria-controls': list.id,
  }))
    input.setAttribute(name, value)
  dialog.append(input, list)
  dialog.addEventListener('close', () => dialog.remove())
  dialog.addEventListener('click', ({ target }) => target === dialog && dialog.close())
  document.body.append(dialog)
  dialog.showModal()
  follow(input, list)
}

const follow = (input: HTMLInputElement, list: HTMLElement): void => {
  let asked = 0
  const options = () => [...list.querySelectorAll<HTMLAnchorElement>('[role=option]')]
  const choose = (index: number): void => {
    const all = options()
    const chosen = all[(index + all.length) % Math.max(1, all.length)]
    for (const option of all) option.setAttribute('aria-selected', String(option === chosen))
    input.setAttribute('aria-activedescendant', chosen?.id ?? '')
    chosen?.scrollIntoView({ block: 'nearest' })
  }
  const chosenIndex = () => options().findIndex(option => option.ariaSelected === 'true')
  const look = async (): Promise<void> => {
    const mine = ++asked
    const reply = await fetch(`/console/palette?q=${encodeURIComponent(input.value)}`)
    const page = new DOMParser().parseFromString(await reply.text(), 'text/html')
    if (mine !== asked || !reply.ok) return // an older answer
    list.replaceChildren(...page.querySelectorAll('[role=option]'))
    choose(0)
  }
  let timer = 0
  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(() => void look(), WAIT_MILLISECONDS)
  })
  input.addEventListener('keydown', event => {
    if (event.key === 'Enter') options()[chosenIndex()]?.click()
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    choose(chosenIndex() + step)
  })
  void look()
}
