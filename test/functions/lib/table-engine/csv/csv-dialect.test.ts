import { describe, expect, it } from 'vitest'
import { type CsvDialectOptions, parseCsvDialect } from '#lib/table-engine/csv/csv-dialect.ts'

describe('parseCsvDialect', () => {
  const accepted: {
    options: CsvDialectOptions
    dialect: [string, string | undefined, string | undefined]
  }[] = [
    { options: {}, dialect: [',', '"', undefined] },
    { options: { delimiter: '\t' }, dialect: ['\t', '"', undefined] },
    { options: { delimiter: '\\t' }, dialect: ['\t', '"', undefined] },
    { options: { delimiter: ';', enclosure: "'" }, dialect: [';', "'", undefined] },
    { options: { enclosure: '' }, dialect: [',', undefined, undefined] },
    { options: { escapedBy: '\\' }, dialect: [',', undefined, '\\'] },
    { options: { enclosure: '"', escapedBy: '' }, dialect: [',', '"', undefined] },
  ]
  it.each(accepted)('accepts $options', ({ options, dialect }) => {
    const [delimiter, enclosure, escapedBy] = dialect.map(character => character?.charCodeAt(0))
    expect(parseCsvDialect(options)).toEqual({ delimiter, enclosure, escapedBy })
  })

  const refused: { options: CsvDialectOptions; code: string }[] = [
    { options: { delimiter: '/t' }, code: 'invalidCsv' },
    { options: { delimiter: '||' }, code: 'invalidCsv' },
    { options: { enclosure: '""' }, code: 'invalidCsv' },
    { options: { delimiter: '' }, code: 'csvImport.invalidCsvParams' },
    { options: { delimiter: '"' }, code: 'csvImport.invalidCsvParams' },
    { options: { delimiter: '\n' }, code: 'csvImport.invalidCsvParams' },
    { options: { delimiter: '\0' }, code: 'csvImport.invalidCsvParams' },
    { options: { delimiter: '§' }, code: 'csvImport.invalidCsvParams' },
    { options: { enclosure: '\r' }, code: 'csvImport.invalidCsvParams' },
    { options: { enclosure: '"', escapedBy: '\\' }, code: 'csvImport.invalidCsvParams' },
    { options: { delimiter: '\\', escapedBy: '\\' }, code: 'csvImport.invalidCsvParams' },
  ]
  it.each(refused)('refuses $options', ({ options, code }) => {
    expect(() => parseCsvDialect(options)).toThrow(expect.objectContaining({ name: 'UserError', code }))
  })
})
