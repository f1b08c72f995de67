import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bundlesFolder } from '#local/runtime/bundles.ts'
import { metafilePath } from '../../infra/bundle.ts'
import { functionNames } from '../../infra/system.ts'
import { type FunctionName, functionPaths } from '../support/function-paths.ts'
import { ownSources } from './calls-of-bundle.ts'
import { deployedShape } from './deployed-shapes.ts'
import { definitionTexts, resourcesOf, rightsByRole } from './resources-of.ts'

/*
 * What rights are on: a function reaches what its environment names, or what a listed other side names to it, and nothing else.
 */

const { template } = deployedShape('all')
const rights = rightsByRole(template)

const bundles = await bundlesFolder()

/** A value of the template with `<id>` for what is known in the account only. */
const textOf = (value: unknown): string => {
  if (typeof value === 'string') return value
  const given = value as { Ref?: string; 'Fn::GetAtt'?: [string]; 'Fn::Join'?: [string, unknown[]] }
  if (given.Ref) return `<${given.Ref}>`
  if (given['Fn::GetAtt']) return `<${given['Fn::GetAtt'][0]}>`
  // `Fn::Select` and `Fn::Split`: the name in an ARN.
  return given['Fn::Join']?.[1].map(textOf).join(given['Fn::Join'][0]) ?? textOf(referenceIn(value))
}

const referenceIn = (value: unknown): unknown => ({ Ref: /"Ref":"(\w+)"/.exec(JSON.stringify(value))?.[1] })

/** The bucket, table, machine and so on that a resource of a statement, or a variable, is or is part of. */
const placeOf = (value: unknown): string => {
  const name = textOf(value)
    .replace(/^arn:<AWS::Partition>:\w+:(<AWS::Region>:<AWS::AccountId>)?:/, '')
    .replace(/^(stateMachine:|execution:|table\/)/, '')
  return /^(<[^>]*>|[^/:<])*/.exec(name)?.[0] ?? name
}

/** A variable may be JSON that names several. */
const placesOf = (value: unknown): string[] =>
  textOf(value).startsWith('{') ? (textOf(value).match(/<[^>]*>/g) ?? []) : [placeOf(value)]

const roleOf = ({ Properties }: { Properties: Record<string, unknown> }, key = 'Role'): string =>
  (Properties[key] as { 'Fn::GetAtt': [string] })['Fn::GetAtt'][0] // Each role is of the stack.

const functionOf = (name: FunctionName) => {
  const [found] = resourcesOf(template, 'AWS::Lambda::Function').filter(([, { Properties }]) =>
    String((Properties['Role'] as { 'Fn::GetAtt': [string] })['Fn::GetAtt'][0]).startsWith(
      `${functionPaths[name].join('')}Role`,
    ),
  )
  if (!found) throw new Error(`There is no function ${name}`)
  return found[1]
}

const resourcesOfRole = (role: string): unknown[] =>
  (rights.get(role) ?? []).flatMap(({ statement }) => [statement.Resource].flat())

/** Names that a function gets from another side than its environment. */
const namedByOthers: readonly { place: RegExp; of: readonly FunctionName[]; by: string }[] = [
  { place: /Logs[0-9A-F]{8}>$/, of: functionNames, by: 'Lambda, which writes the log.' },
  { place: /^<ImportLanding/, of: ['start-import'], by: 'The event of S3.' },
  { place: /^<ImportMachine/, of: ['start-import'], by: 'The lease of a key, which an execution has.' },
  { place: /^<Undelivered/, of: ['tick'], by: 'Lambda, which keeps events there that failed.' },
  { place: /-extract$/, of: ['run-extractor'], by: 'The lease of a configuration, which an execution has.' },
  {
    place: /^<(Import|Export|Extract)Machine/,
    of: ['storage-api'],
    by: 'Dead letters, which it starts again.',
  },
]

/** Of environments: what no right of IAM is for. */
const openToAll = /^(https:\/\/)?<StorageHttp/

describe.each(functionNames)('the role of %s', name => {
  const environment = (): Record<string, unknown> =>
    (functionOf(name).Properties['Environment'] as { Variables: Record<string, unknown> }).Variables

  it('is for what its environment or a listed other side names, and for all of that', () => {
    const allowed = new Set(resourcesOfRole(roleOf(functionOf(name))).map(placeOf))
    const named = Object.entries(environment())
      .filter(([, value]) => textOf(value).includes('<'))
      .flatMap(([, value]) => placesOf(value))
      .filter(place => place !== 'none' && !openToAll.test(place))
    const others = namedByOthers.filter(({ of }) => of.includes(name)).map(({ place }) => place)
    expect(
      [...allowed].filter(place => !named.includes(place) && !others.some(other => other.test(place))),
      'nobody names it',
    ).toEqual([])
    expect(
      named.filter(place => !allowed.has(place)),
      'it may do nothing there',
    ).toEqual([])
  })

  it('names no prefix of keys that its bundle does not', () => {
    const sources = ownSources(JSON.parse(readFileSync(metafilePath(bundles, name), 'utf8')))
    const prefixes = resourcesOfRole(roleOf(functionOf(name)))
      .map(textOf)
      .flatMap(text => /^<\w+>\/(.+)$/.exec(text)?.[1]?.split('*') ?? [])
      .map(piece => piece.replaceAll(/^\/|\/$/g, ''))
      .filter(piece => piece !== '')
    expect(prefixes.filter(prefix => !sources.some(text => text.includes(prefix)))).toEqual([])
  })
})

it('only files and exports, whose keys others choose, are written and deleted under any key', () => {
  const whole = functionNames.flatMap(name =>
    (rights.get(roleOf(functionOf(name))) ?? [])
      .filter(({ actions }) => actions.some(action => /^s3:(Put|Delete|Abort)/.test(action)))
      .flatMap(({ statement }) => [statement.Resource].flat().map(textOf))
      .filter(text => /^<\w+>\/\*$/.test(text)),
  )
  expect(new Set(whole.map(text => text.replace(/[0-9A-F]{8}>.*/, '')))).toEqual(
    new Set(['<StorageFiles', '<ExportExports']),
  )
})

it('each machine may call the functions and queues that its states name, and run its own children', () => {
  for (const [id, resource] of resourcesOf(template, 'AWS::StepFunctions::StateMachine')) {
    const text = definitionTexts(resource)
      .map(part => (typeof part === 'string' ? part : textOf(part)))
      .join('')
    const named = [...text.matchAll(/"(<\w+>)"/g)].map(([, place]) => place)
    const own = text.includes('DISTRIBUTED') ? [`<${id}>`] : []
    const allowed = resourcesOfRole(roleOf(resource, 'RoleArn')).map(placeOf)
    expect([id, new Set(allowed.filter(place => place !== '*'))]).toEqual([id, new Set([...named, ...own])])
  }
})

it('the role of each schedule and rule may call its target, and nothing else', () => {
  const targets = new Map<string, Set<string>>()
  const add = ({ Arn, RoleArn }: { Arn: unknown; RoleArn?: unknown }): void => {
    if (RoleArn === undefined) return
    const role = placeOf(RoleArn).slice(1, -1)
    targets.set(role, (targets.get(role) ?? new Set()).add(placeOf(Arn)))
  }
  for (const [, { Properties }] of resourcesOf(template, 'AWS::Scheduler::Schedule'))
    add(Properties['Target'] as { Arn: unknown })
  for (const [, { Properties }] of resourcesOf(template, 'AWS::Events::Rule'))
    for (const target of Properties['Targets'] as { Arn: unknown }[]) add(target)
  // The schedules have one, and the rule of the landing bucket.
  expect(targets.size).toBe(2)
  for (const [role, named] of targets)
    expect([role, new Set(resourcesOfRole(role).map(placeOf))]).toEqual([role, named])
})
