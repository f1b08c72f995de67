import { describe, expect, it } from 'vitest'
import { objectVersionId } from '#functions/start-import/object-version.ts'

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
