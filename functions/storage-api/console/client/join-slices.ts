import { FORM_BYTES, lacksLineEnd, nameOfForm, refusedJoin } from '#lib/table-engine/csv/file-forms.ts'

/** One CSV file of slices without header. Slices that are compressed stay so: parts of gzip after each other are gzip. */
export const joinSlices = async (
  addresses: readonly string[],
  /** For the first line; without columns there is none. */
  { columns, isCompressed }: { columns: readonly string[]; isCompressed: boolean },
  onProgress: (slicesDone: number) => void,
): Promise<Blob> => {
  const header = new Blob(columns.length === 0 ? [] : [headerLine(columns)])
  const parts = [isCompressed && header.size > 0 ? await compressed(header) : header]
  for (const [index, address] of addresses.entries()) {
    onProgress(index)
    const response = await fetch(address)
    if (!response.ok)
      throw new Error(
        `Slice ${index + 1} answers ${response.status}. Open this page again: its addresses last an hour.`,
      )
    parts.push(await response.blob())
  }
  const forms: (string | undefined)[] = []
  const joined: (Blob | string)[] = parts.slice(0, 1)
  const slices = parts.slice(1)
  const last = slices.findLast(part => part.size > 0)
  for (const part of slices) {
    const head = await part.slice(0, FORM_BYTES).bytes()
    const form = head.length === 0 ? undefined : nameOfForm(head)
    forms.push(form)
    joined.push(part)
    const [lastByte] = await part.slice(-1).bytes()
    if (form === 'text' && part !== last && lacksLineEnd(head, lastByte)) joined.push('\n')
  }
  const refused = refusedJoin(forms, header.size > 0)
  if (refused !== undefined)
    throw new Error(`The slices cannot be put together: ${refused}. Download them one by one.`)
  return new Blob(joined)
}

const headerLine = (columns: readonly string[]): string =>
  `${columns.map(name => `"${name.replaceAll('"', '""')}"`).join(',')}\n`

const compressed = (content: Blob): Promise<Blob> =>
  new Response(content.stream().pipeThrough(new CompressionStream('gzip'))).blob()
