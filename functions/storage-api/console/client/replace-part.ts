/** The text of a page; nothing where it cannot be shown now. Who is signed out by now is led to the form. */
const read = async (address: string, signal: AbortSignal | null): Promise<string> => {
  const response = await fetch(address, { signal })
  if (response.redirected) location.assign(response.url)
  if (response.status === 401) location.reload()
  return response.ok && !response.redirected ? response.text() : ''
}

/** Puts a part of a page that is asked for in place of one that is shown. */
export const replacePart = async (
  shown: Element,
  address: string,
  selector: string,
  signal: AbortSignal | null = null,
): Promise<void> => {
  const text = await read(address, signal).catch(() => '')
  const part = new DOMParser().parseFromString(text, 'text/html').querySelector(selector)
  const focused = document.activeElement?.id
  if (part !== null) shown.replaceWith(part)
  if (focused) document.getElementById(focused)?.focus()
}
