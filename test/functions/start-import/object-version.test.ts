import { expect, it } from 'vitest'
import { objectVersionId } from '#functions/start-import/object-version.ts'

it('the id of an object version differs by version, key and bucket', () => {
  const object = { bucket: 'landing', key: 'in.c-main/orders.csv', versionId: 'v1' }
  const ids = [
    objectVersionId(object),
    objectVersionId({ ...object, versionId: 'v2' }),
    objectVersionId({ ...object, key: 'in.c-main/other.csv' }),
    objectVersionId({ ...object, bucket: 'other' }),
  ]
  expect(new Set(ids).size).toBe(ids.length)
  expect(objectVersionId({ ...object })).toBe(ids[0])
})
