import { styleText } from 'node:util'
import { type Cell, formatTable } from './format-table.ts'
import { printable, printableJson, printableLines } from './printable.ts'
import type { TextStream } from './shell.ts'

type Style = Parameters<typeof styleText>[0]

/**
 * Results go to standard output, remarks to standard error. Colours only on a terminal, and not with `NO_COLOR`. Words of others come as
 * printable ones.
 */
export interface Output {
  isJson: boolean
  /** For programs the value as JSON; for people a sentence, or what `render` writes. */
  show: (value: unknown, render: string | (() => void)) => void
  /** For programs the entries as JSON; for people a table whose columns say what they take of an entry, or a sentence when there is none. */
  list: <Entry>(
    entries: readonly Entry[],
    columns: Readonly<Record<string, (entry: Entry) => Cell>>,
    ifEmpty?: string,
  ) => void
  line: (text: string, style?: Style) => void
  table: (columns: readonly string[], rows: readonly (readonly Cell[])[]) => void
  /** Names and values, one a line; those without a value are left out. */
  fields: (fields: Readonly<Record<string, Cell>>) => void
  /** A remark; programs do not read it. */
  say: (text: string) => void
}

export const createOutput = (isJson: boolean, stream: TextStream, remarks: TextStream): Output => {
  const styled = (style: Style, text: string) => styleText(style, text, { stream })
  const out: Output = {
    isJson,
    show: (value, render) => {
      if (isJson) stream.write(`${printableJson(value)}\n`)
      else if (typeof render === 'string') out.line(render)
      else render()
    },
    list: (entries, columns, ifEmpty) =>
      out.show(entries, () => {
        if (entries.length === 0 && ifEmpty !== undefined) return out.line(ifEmpty)
        const cells = Object.values(columns)
        out.table(
          Object.keys(columns),
          entries.map(entry => cells.map(cell => cell(entry))),
        )
      }),
    line: (text, style) => {
      const shown = printableLines(text)
      stream.write(`${style === undefined ? shown : styled(style, shown)}\n`)
    },
    table: (columns, rows) => {
      const width = stream.isTTY ? stream.columns : undefined
      stream.write(formatTable(columns, rows, { width, heading: text => styled('bold', text) }))
    },
    fields: fields => {
      const given = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null)
      const width = Math.max(0, ...given.map(([name]) => name.length))
      for (const [name, value] of given)
        stream.write(`${styled('bold', name.padEnd(width))}  ${printable(String(value))}\n`)
    },
    say: text => void remarks.write(`${printableLines(text)}\n`),
  }
  return out
}

/** The colour of a status: of jobs, runs and events. */
export const styleOf = (status: string): Style => {
  if (status === 'error') return 'red'
  if (status === 'success') return 'green'
  return status === 'warn' ? 'yellow' : 'cyan'
}
