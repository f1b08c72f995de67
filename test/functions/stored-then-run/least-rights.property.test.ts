import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  allRights,
  leastRights,
  mayDoAsMuch,
  mayUseBucket,
  mayUseComponent,
  noRights,
  type Rights,
} from '#functions/lib/storage/tokens/rights.ts'

const buckets = ['in.c-a', 'in.c-b', 'toString']
const components = ['one', 'other']

const rights: fc.Arbitrary<Rights> = fc.record({
  canManageBuckets: fc.boolean(),
  canReadAllFileUploads: fc.boolean(),
  canPurgeTrash: fc.boolean(),
  bucketPermissions: fc.dictionary(fc.constantFrom(...buckets), fc.constantFrom('read', 'write', 'manage')),
  componentAccess: fc.uniqueArray(fc.constantFrom(...components)),
})

/** Everything that a request can ask of a token's rights. */
const questions: ((of: Rights) => boolean)[] = [
  of => of.canManageBuckets,
  of => of.canReadAllFileUploads,
  of => of.canPurgeTrash,
  ...components.map(component => (of: Rights) => mayUseComponent(of, component)),
  ...buckets.flatMap(bucketId =>
    (['read', 'write', 'manage'] as const).map(needed => (of: Rights) => mayUseBucket(of, bucketId, needed)),
  ),
]

describe('the least of some rights', () => {
  it('allows exactly what each of them allows', () => {
    fc.assert(
      fc.property(fc.array(rights, { maxLength: 4 }), all => {
        const least = leastRights(all)
        for (const may of questions) expect(may(least)).toBe(all.every(may))
      }),
    )
  })

  it('is covered by each of them, and covers nothing that one lacks', () => {
    fc.assert(
      fc.property(rights, rights, (one, other) => {
        const least = leastRights([one, other])
        expect([mayDoAsMuch(one, least), mayDoAsMuch(other, least)]).toEqual([true, true])
        expect(mayDoAsMuch(one, other)).toBe(questions.every(may => may(one) || !may(other)))
        expect([mayDoAsMuch(allRights, one), mayDoAsMuch(one, noRights)]).toEqual([true, true])
      }),
    )
  })
})
