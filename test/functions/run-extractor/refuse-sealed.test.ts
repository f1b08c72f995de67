import { expect, it } from 'vitest'
import { refuseSealed } from '#functions/lib/storage/secrets/create-opener.ts'

it('refuses what another service sealed, and lets everything else through', async () => {
  const plain = { '#password': 'written out', user: 'KBC::ProjectSecure::not under a # key' }
  expect(await refuseSealed(plain)).toEqual(plain)
  await expect(refuseSealed({ a: [{ '#token': 'KBC::ProjectSecure::abc' }] })).rejects.toMatchObject({
    code: 'secrets.notOpened',
  })
})
