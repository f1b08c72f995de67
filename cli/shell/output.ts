import { styleText } from 'node:util'
import { type Cell, formatTable } from './format-table.ts'
import { fieldAt } from './format-values.ts'
import { printable, printableJson, printableLines } from './printable.ts'
import type { TextStream } from './shell.ts'

type Style = Parameters<typeof styleText>[0]

/** What is shown of a thing, by heading: the field at a path such as `failure.message`, or what a function makes of the thing. */
type Fields<Of> = Readonly<Record<string, string | ((of: Of) => Cell)>>

const cellsOf = <Of>(of: Of, fields: Fields<Of>): Record<string, Cell> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, take]) => [
      name,
      typeof take === 'function' ? take(of) : cellOf(fieldAt(of, take)),
    ]),
  )

const cellOf = (value: unknown): Cell => {
  if (value === null || typeof value === 'number') return value
  if (value !== undefined) return Array.isArray(value) ? value.join(', ') : String(value)
  return value
}

/**
 * Results go to standard output, remarks to standard error. Colours only on a terminal, and not with `NO_COLOR`. Words of others come as
 * printable ones.
 */
export interface Output {
  isJson: boolean
  /** For programs the value as JSON; for people a sentence, or what `render` writes. */
  show: (value: unknown, render: string | (() => void)) => undefined
  /** For programs the entries as JSON; for people a table of fields, or a sentence when there is none. */
  list: <Entry>(entries: readonly Entry[], columns: Fields<Entry>, ifEmpty?: string) => undefined
  /** For programs the thing as JSON; for people its fields, and what follows them. */
  detail: <Thing>(thing: Thing, fields: Fields<Thing>, rest?: () => void) => undefined
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
      return undefined
    },
    list: (entries, columns, ifEmpty) =>
      out.show(entries, () => {
        if (entries.length === 0 && ifEmpty !== undefined) return out.line(ifEmpty)
        out.table(
          Object.keys(columns),
          entries.map(entry => Object.values(cellsOf(entry, columns))),
        )
      }),
    detail: (thing, fields, rest) =>
      out.show(thing, () => {
        out.fields(cellsOf(thing, fields))
        rest?.()
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
