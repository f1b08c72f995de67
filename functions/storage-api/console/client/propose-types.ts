/** Base types of columns, from the narrowest on. `007` stays a text: as a number it would be another one. */
const FORMS: readonly (readonly [type: string, form: RegExp])[] = [
  ['BOOLEAN', /^(true|false)$/i],
  ['INTEGER', /^-?(0|[1-9]\d{0,17})$/],
  ['FLOAT', /^-?(0|[1-9]\d{0,14})(\.\d+)?(e[+-]?\d{1,2})?$/i],
  ['NUMERIC', /^-?(0|[1-9]\d{0,27})(\.\d{1,9})?$/],
  ['DATE', /^\d{4}-\d{2}-\d{2}$/],
  ['TIMESTAMP', /^\d{4}-\d{2}-\d{2}[ T]\d{2}:\d{2}:\d{2}(\.\d{1,9})?Z?$/],
]

export const COLUMN_TYPES = ['STRING', ...FORMS.map(([type]) => type)]

/** What each column seems to hold by its first cells; empty ones say nothing. */
export const proposeTypes = ([header = [], ...records]: readonly (readonly string[])[]): string[] =>
  header.map((_, place) => {
    const cells = records.map(record => record[place] ?? '').filter(cell => cell !== '')
    const found = FORMS.find(([, form]) => cells.length > 0 && cells.every(cell => form.test(cell)))
    return found?.[0] ?? 'STRING'
  })
