import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sanitizeColumnName } from '#lib/table-engine/csv/column-names.ts'

describe('sanitizeColumnName', () => {
  const cases: [name: string, sanitized: string][] = [
    ['id', 'id'],
    ['language-id', 'language_id'],
    ['Größe (cm)', 'Grosse_cm'],
    ['Příliš žluťoučký kůň', 'Prilis_zlutoucky_kun'],
    ['Čena v €', 'Cena_v_EUR'],
    ['Đặng đình', 'Dang_dinh'],
    ['łódź', 'lodz'],
    ['smørrebrød', 'smorrebrod'],
    ['œuvre ﬁnale', 'oeuvre_finale'],
    ['Ａｂ１', 'Ab1'],
    ['total 💰', 'total'],
    ['👩‍👩‍👧 family', 'family'],
    ['a💰b', 'ab'],
    ['  padded__  ', 'padded'],
    ['_timestamp', 'timestamp'],
    ['a__b', 'a__b'],
    ['a - _ - b', 'a___b'],
    ['oid', 'oid_'],
    ['CTID', 'CTID_'],
    ['xmin ', 'xmin_'],
    ['e\u0301te\u0301', 'ete'],
    ['#1', '1'],
    ['ид', 'column_2b69cba5'],
    ['ID клиента', 'ID_9da4fcce'],
    ['ID товара', 'ID_4cd16963'],
    ['価格', 'column_b8af0122'],
    ['***', ''],
    ['', ''],
    ['a ˇ˘˝ b', 'a_b'],
  ]
  it.each(cases)('%j becomes %j', (name, sanitized) => {
    expect(sanitizeColumnName(name)).toBe(sanitized)
  })

  it('leaves only letters, digits and _, and no _ at either end but after reserved names', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), name => {
        const sanitized = sanitizeColumnName(name)
        expect(sanitized).toMatch(/^[A-Za-z0-9_]*$/)
        expect(sanitized).toMatch(/^([^_].*[^_]|[^_]?|(oid|tableoid|[xc]m(in|ax)|ctid)_)$/i)
      }),
    )
  })

  it('changes nothing the second time', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), name => {
        const sanitized = sanitizeColumnName(name)
        expect(sanitizeColumnName(sanitized)).toBe(sanitized)
      }),
    )
  })

  it('leaves plain names as they are', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^[A-Z](\w{0,20}[a-z])?$/), name => {
        fc.pre(!/^(oid|tableoid|[xc]m(in|ax)|ctid)$/i.test(name))
        expect(sanitizeColumnName(name)).toBe(name)
      }),
    )
  })
})
