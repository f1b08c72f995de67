import { describe, expect, it } from 'vitest'
import { fileKey, webalize } from '#functions/storage-api/services/file-access.ts'

describe('webalize', () => {
  it.each([
    ['orders.csv', 'orders.csv'],
    ['Größe & Preis.csv', 'Gro_e_Preis.csv'],
    ['žluťoučký kůň.csv', 'zlutoucky_kun.csv'],
    ['../../etc/passwd', 'etc_passwd'],
    ['a*b?c.csv', 'a_b_c.csv'],
    ['日本', 'file'],
    ['', 'file'],
  ])('makes %j to %j', (name, expected) => {
    expect(webalize(name)).toBe(expected)
  })

  it('keeps the end of a long name, where its type is', () => {
    const name = webalize(`${'x'.repeat(500)}.csv.gz`)
    expect(name).toHaveLength(120)
    expect(name.endsWith('.csv.gz')).toBe(true)
  })
})

describe('the key of a file', () => {
  const created = new Date('2026-07-06T23:59:59Z')

  it('lies below its project and day', () => {
    expect(fileKey(7, 123, { name: 'a b.csv', created })).toBe('exp-15/7/files/2026/07/06/123.a_b.csv')
  })

  it('lies out of reach of what expires when the file is permanent', () => {
    const key = fileKey(7, 123, { name: 'a.csv', created, isPermanent: true })
    expect(key).toBe('permanent/7/files/2026/07/06/123.a.csv')
  })
})
