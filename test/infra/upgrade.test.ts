import { readFileSync } from 'node:fs'
import { fullDiff, ResourceImpact } from '@aws-cdk/cloudformation-diff'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { deployedShape } from './deployed-shapes.ts'

/*
 * What CloudFormation would do with the data of a deployment when it is updated. `fixtures/stack-0.1.json` has the
 * resources of version 0.1 that hold data, and the machines, whose names are fixed.
 */

const templateOf = z.object({
  Resources: z.record(
    z.string(),
    z.object({ Type: z.string(), Properties: z.record(z.string(), z.unknown()).default({}) }).loose(),
  ),
})

const version01 = templateOf.parse(
  JSON.parse(readFileSync(new URL('fixtures/stack-0.1.json', import.meta.url), 'utf8')),
)

const REPLACED = [ResourceImpact.WILL_REPLACE, ResourceImpact.MAY_REPLACE]
const GONE = [ResourceImpact.WILL_DESTROY, ResourceImpact.WILL_ORPHAN]

/** Resources of `before` that an update would replace or remove, and how. */
const lost = (before: z.infer<typeof templateOf>, after: object): Record<string, string> => {
  const wanted: string[] = [...REPLACED, ...GONE]
  const diff = fullDiff(before, after)
  const found: Record<string, string> = {}
  diff.resources.forEachDifference((id, change) => {
    if (id in before.Resources && wanted.includes(change.changeImpact)) found[id] = change.changeImpact
  })
  return found
}

describe('an update', () => {
  it('from version 0.1 replaces and removes nothing that holds data, and no machine, but the queues of dead letters', () => {
    const found = Object.entries(lost(version01, deployedShape('all').template.toJSON()))
    expect(
      found.filter(([id, impact]) => !(impact === 'WILL_DESTROY' && /DeadLettersQueue/.test(id))),
    ).toEqual([])
  })

  it('to a customer’s key, other retentions and tags replaces nothing that holds data', () => {
    const before = templateOf.parse(deployedShape('all').template.toJSON())
    const after = deployedShape('staging').template.toJSON()
    const types = new Set(Object.values(version01.Resources).map(({ Type }) => Type))
    const data = Object.fromEntries(
      Object.entries(before.Resources).filter(([, { Type }]) => types.has(Type)),
    )
    expect(Object.keys(data).length).toBeGreaterThan(10)
    expect(lost({ Resources: data }, after)).toEqual({})
  })

  it('that renames or moves a table or a bucket would be found', () => {
    const { Resources } = version01
    const renamed = {
      ...Resources,
      StorageItems5ACFBC81: {
        ...Resources['StorageItems5ACFBC81'],
        Properties: { ...Resources['StorageItems5ACFBC81']?.Properties, TableName: 'items' },
      },
    }
    expect(lost(version01, { Resources: renamed })).toEqual({ StorageItems5ACFBC81: 'WILL_REPLACE' })
    const { StorageTables4B69D173: moved, ...others } = Resources
    expect(Object.keys(lost(version01, { Resources: { ...others, Moved: moved } }))).toEqual([
      'StorageTables4B69D173',
    ])
  })
})
