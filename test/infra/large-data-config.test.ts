import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it } from 'vitest'
import { synthesiseStack } from '../support/synthesise-stack.ts'

const MiB = 1024 ** 2

/** Each value of the context, and the variable that carries it to a function. */
const sizes = [
  ['singleLoadBytes', 'SINGLE_LOAD_BYTES', 2048 * MiB],
  ['singleMergeBytes', 'SINGLE_MERGE_BYTES', 2048 * MiB],
  ['loadRangeBytes', 'LOAD_RANGE_BYTES', 256 * MiB],
  ['singleExportBytes', 'SINGLE_EXPORT_BYTES', 2048 * MiB],
  ['exportPartBytes', 'EXPORT_PART_BYTES', 256 * MiB],
] as const
const partsAtOnce = (context: Record<string, unknown>): number => {
  const machines = Object.values(synthesiseStack(context).findResources('AWS::StepFunctions::StateMachine'))
  const jobs = machines
    .map(({ Properties }) => JSON.stringify(Properties))
    .find(text => text.includes('StorageRunJob'))
  return Number(/\\"MaxConcurrency\\":(\d+)/.exec(jobs ?? '')?.[1])
}

describe('sizes of large loads and exports', () => {
  const given = synthesiseStack({
    sizes: Object.fromEntries(
      sizes.map(([name], index) => [name, index % 2 === 0 ? 1000 + index : `${1000 + index}`]),
    ),
  })
  const byDefault = synthesiseStack({})
  const hasVariable = (stack: typeof given, name: string, value: string): void =>
    stack.hasResourceProperties('AWS::Lambda::Function', {
      Environment: { Variables: Match.objectLike({ [name]: value }) },
    })

  it.each(sizes)('%s reaches its function as %s', (name, variable, normal) => {
    hasVariable(given, variable, String(1000 + sizes.findIndex(([size]) => size === name)))
    hasVariable(byDefault, variable, String(normal))
  })

  it('each function that accepts a load knows them; beside a service elsewhere the hook knows that it does not', () => {
    const variablesOf = (stack: typeof given, description: RegExp): unknown =>
      Object.values(stack.findResources('AWS::Lambda::Function')).find(({ Properties }) =>
        description.test(Properties.Description),
      )?.['Properties'].Environment.Variables
    for (const accepts of [
      /The HTTP API of the storage/,
      /starts its import/,
      /asynchronous jobs of the storage/,
    ])
      expect(variablesOf(given, accepts)).toHaveProperty('SINGLE_LOAD_BYTES', '1000')
    const elsewhere = synthesiseStack({
      storageUrl: 'https://s.test',
      storageTokenSecret: 's',
    })
    expect(variablesOf(elsewhere, /starts its import/)).toHaveProperty('SINGLE_LOAD_BYTES', 'NONE')
  })

  it.each(sizes.map(([name]) => name))('%s is a whole number of bytes above 0', name => {
    for (const wrong of [0, -1, 1.5, '2GiB', 'much'])
      expect(() => synthesiseStack({ sizes: { [name]: wrong } })).toThrow(
        new RegExp(`The stack configuration is not valid:[^]*${name}`),
      )
  })

  it('so many functions work at a time', () => {
    expect(partsAtOnce({})).toBe(16)
    expect(partsAtOnce({ sizes: '{"partsAtOnce":3}' })).toBe(3)
  })

  it('they are 1 to 40', () => {
    for (const wrong of [0, 41, 2.5, 'all'])
      expect(() => synthesiseStack({ sizes: { partsAtOnce: wrong } })).toThrow(
        /The stack configuration is not valid:[\s\S]*partsAtOnce/,
      )
  })

  it('a name that is none of them is refused', () => {
    expect(() => synthesiseStack({ sizes: { singelExportBytes: 5 } })).toThrow(/singelExportBytes/)
  })
})
