import { describe, expect, it } from 'vitest'
import { LONGEST_RUN_SECONDS } from '../../functions/run-extractor/names.ts'
import { sweepKinds } from '../../functions/sweep-storage/sweep-kinds.ts'
import {
  type BucketName,
  type BucketTraits,
  buckets,
  clocks,
  functionNames,
  machines,
  retries,
  sizeOf,
} from '../../infra/system.ts'
import { functionPaths } from '../support/function-paths.ts'
import { synthesiseStack } from '../support/synthesise-stack.ts'
import { definitionTexts, resourcesOf } from './resources-of.ts'

const template = synthesiseStack()

/** Ids end with eight digits of CDK. */
const nameOf = (id: string): string => id.replace(/[0-9A-F]{8}$/, '')

const byName = <Value>(type: string, read: (properties: Record<string, unknown>) => Value) =>
  Object.fromEntries(
    resourcesOf(template, type).map(([id, { Properties }]) => [nameOf(id), read(Properties)]),
  )

const constructOf: Readonly<Record<BucketName, string>> = {
  landing: 'ImportLanding',
  exports: 'ExportExports',
  work: 'ExtractWork',
  files: 'StorageFiles',
  tables: 'StorageTables',
}

/** The resource that a part of a definition refers to. */
const idIn = (part: unknown): string =>
  nameOf(/"Fn::GetAtt":\["(\w+)"/.exec(JSON.stringify(part))?.[1] ?? 'x')

describe('the template is what system.ts says, and no more', () => {
  it('of functions', () => {
    const sizes = byName('AWS::Lambda::Function', ({ MemorySize, Timeout, EphemeralStorage }) => ({
      memoryMiB: MemorySize,
      seconds: Timeout,
      scratchMiB: (EphemeralStorage as { Size: number }).Size,
    }))
    expect(sizes).toEqual(
      Object.fromEntries(
        functionNames.map(name => [functionPaths[name].join(''), { scratchMiB: 512, ...sizeOf(name) }]),
      ),
    )
  })

  it('of machines', () => {
    const found = resourcesOf(template, 'AWS::StepFunctions::StateMachine').map(([id, machine]) => {
      const text = definitionTexts(machine)
        .map(part => (typeof part === 'string' ? part : idIn(part)))
        .join('')
      const { TimeoutSeconds, States } = JSON.parse(text)
      const calls = (state: string) =>
        new RegExp(`"${state}":\\{"Type":"Task","Resource":"([^"]+)"`).exec(text)?.[1]
      return [
        nameOf(id),
        {
          seconds: TimeoutSeconds,
          isLong: 'Steps' in States,
          polls: text.includes('"Poll"'),
          step: calls('Step'),
          part: calls('Part'),
        },
      ]
    })
    const resource = (name: keyof typeof functionPaths) => functionPaths[name].join('')
    const wanted = Object.entries(machines).map(([name, machine]) => [
      name === 'jobs' ? 'StorageJobsMachine' : `${name[0]?.toUpperCase()}${name.slice(1)}Machine`,
      {
        seconds: machine.longestSeconds,
        isLong: machine.isLong,
        polls: machine.polls,
        step: resource(machine.step),
        part: resource(machine.step),
      },
    ])
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(wanted))
  })

  it('of clocks', () => {
    const found = resourcesOf(template, 'AWS::Scheduler::Schedule').map(([, { Properties }]) => {
      const { Arn, Input } = Properties['Target'] as { Arn: { 'Fn::GetAtt': [string] }; Input?: string }
      const calls = functionNames.find(name => functionPaths[name].join('') === nameOf(Arn['Fn::GetAtt'][0]))
      return {
        calls,
        expression: Properties['ScheduleExpression'],
        ...(Input && { input: JSON.parse(Input) }),
      }
    })
    expect(found).toHaveLength(clocks.length)
    expect(found).toEqual(expect.arrayContaining([...clocks]))
  })

  it('of buckets', () => {
    const found = byName('AWS::S3::Bucket', properties => ({
      isVersioned: 'VersioningConfiguration' in properties,
      sendsEvents: 'NotificationConfiguration' in properties,
      acceptsAcls: 'OwnershipControls' in properties,
      answersBrowsers: 'CorsConfiguration' in properties,
    }))
    const all: [string, BucketTraits][] = Object.entries(buckets)
    const wanted = all.map(([name, traits]) => [
      constructOf[name as BucketName],
      {
        // The stack's configuration keeps versions of tables.
        isVersioned: traits.versionDays !== undefined || name === 'tables',
        sendsEvents: traits.sendsEvents ?? false,
        acceptsAcls: traits.acceptsAcls ?? false,
        answersBrowsers: traits.answersBrowsers ?? false,
      },
    ])
    expect(found).toEqual(Object.fromEntries(wanted))
  })
})

it('functions know the same figures', () => {
  expect(machines.extract.longestSeconds).toBe(LONGEST_RUN_SECONDS)
  expect(clocks.flatMap(({ input }) => input?.['kind'] ?? [])).toEqual([...sweepKinds])
  expect(retries.flatMap(({ errors }) => errors)).not.toContain('UserError')
})
