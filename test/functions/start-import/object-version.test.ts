import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isLater, objectVersionId } from '#functions/start-import/object-version.ts'

describe('object version id', () => {
  const object = { bucket: 'landing', key: 'in.c-main/orders.csv', versionId: 'v1' }

  it('is the same for the same version, whatever the ETag', () => {
    expect(objectVersionId(object, '"a"')).toBe(objectVersionId(object, '"b"'))
  })

  it('differs by version, by key, and by content where there are no versions', () => {
    const { versionId: _, ...unversioned } = object
    const ids = [
      objectVersionId(object, '"a"'),
      objectVersionId({ ...object, versionId: 'v2' }, '"a"'),
      objectVersionId({ ...object, key: 'in.c-main/other.csv' }, '"a"'),
      objectVersionId(unversioned, '"a"'),
      objectVersionId(unversioned, '"b"'),
    ]
    expect(new Set(ids).size).toBe(ids.length)
  })
})

describe('order of sequencers', () => {
  it.each([
    ['0062E99A88DC407461', '0062E99A88DC407460', true],
    ['0062E99A88DC407460', '0062E99A88DC407461', false],
    ['0062E99A88DC407460', '0062E99A88DC407460', false],
    ['00AB', '00ABC', false],
    ['00ABC', '00AB', true],
    ['00ab0', '00AB', false],
    [undefined, '00AB', false],
    ['00AB', undefined, false],
  ])('%s is later than %s: %s', (a, b, expected) => {
    expect(isLater(a, b)).toBe(expected)
  })

  const sequencer = fc.stringMatching(/^[0-9A-Fa-f]{1,20}$/)

  it('never holds both ways', () => {
    fc.assert(fc.property(sequencer, sequencer, (a, b) => !(isLater(a, b) && isLater(b, a))))
  })

  it('is transitive', () => {
    fc.assert(
      fc.property(
        sequencer,
        sequencer,
        sequencer,
        (a, b, c) => !(isLater(a, b) && isLater(b, c)) || isLater(a, c),
      ),
    )
  })
})
