import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { bundlesFolder } from '#local/runtime/bundles.ts'
import { metafilePath } from '../../infra/bundle.ts'
import { functionNames } from '../../infra/system.ts'
import { type FunctionName, functionPaths } from '../support/function-paths.ts'
import { rightsOfBundle } from './calls-of-bundle.ts'
import { deployedShape, deployedShapes } from './deployed-shapes.ts'
import { resourcesOf, rightsByRole } from './resources-of.ts'

const bundles = await bundlesFolder()

const { template } = deployedShape('all')

const rightsOfRole = (name: FunctionName): string[] => {
  const found = [...rightsByRole(template)].filter(([id]) =>
    id.startsWith(`${functionPaths[name].join('')}Role`),
  )
  expect(found.map(([id]) => id)).toHaveLength(1)
  return found.flatMap(([, statements]) => statements.flatMap(({ actions }) => actions))
}

/** Rights for requests that no code of ours sends. */
const sentByOthers: readonly { rights: readonly string[]; of: readonly FunctionName[]; because: string }[] = [
  {
    rights: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    of: functionNames,
    because: 'Lambda writes the log with the role of the function.',
  },
  {
    rights: ['sqs:SendMessage'],
    of: ['tick'],
    because: 'Lambda keeps events that failed with the role of the function.',
  },
  {
    rights: ['s3:ListBucket'],
    of: ['start-import', 'run-extractor', 'tick'],
    because:
      'Without it S3 answers 403 instead of 404 for an object that is not there (API Reference, "GetObject").',
  },
  {
    rights: ['s3:GetObjectVersion'],
    of: ['start-import'],
    because:
      'It is asked for with s3:GetObject where a request names a version, as those for landed objects do.',
  },
  {
    rights: ['iam:PassRole'],
    of: ['run-job'],
    because: 'It is asked for with emr-serverless:StartJobRun, for the role of the run.',
  },
]

const items = (...actions: string[]): string[] => actions.map(action => `dynamodb:${action}`)

/**
 * Requests that a bundle holds and its function never sends, or with the credentials of a file alone: it opens all stores of the service, and calls some of their
 * methods. What it does call is tried with the rights of its role on one machine (test/local).
 */
const heldOnly: Readonly<Partial<Record<FunctionName, readonly string[]>>> = {
  'run-extractor': ['s3:AbortMultipartUpload', 's3:ListMultipartUploadParts'],
  'start-import': items('BatchWriteItem', 'ConditionCheckItem', 'DeleteItem', 'Query'),
  'sweep-storage': items('ConditionCheckItem'),
}

describe.each(functionNames)('the role of %s', name => {
  it('allows what its bundle sends, and nothing else', () => {
    const sent = rightsOfBundle(JSON.parse(readFileSync(metafilePath(bundles, name), 'utf8')))
    const others = sentByOthers.flatMap(({ rights, of }) => (of.includes(name) ? rights : []))
    expect(
      others.filter(right => sent.has(right)),
      'it sends these itself',
    ).toEqual([])
    const held = heldOnly[name] ?? []
    expect(
      held.filter(right => !sent.has(right)),
      'its bundle holds these no longer',
    ).toEqual([])
    const needed = [...sent].filter(right => !held.includes(right)).concat(others)
    expect([...new Set(rightsOfRole(name))].toSorted()).toEqual(needed.toSorted())
  })
})

/** What Step Functions does for a state (Developer Guide, "IAM policies for integrated services"). */
const rightsOfStates: readonly { state: RegExp; rights: readonly string[] }[] = [
  { state: /"Resource":"",\{"Fn::GetAtt"/, rights: ['lambda:InvokeFunction'] },
  {
    state: /"Mode":"DISTRIBUTED"/,
    rights: [
      'states:StartExecution',
      'states:DescribeExecution',
      'states:StopExecution',
      // When somebody redrives the execution in the console of AWS.
      'states:RedriveExecution',
    ],
  },
  // The log of each machine.
  {
    state: /"StartAt"/,
    rights: [
      'logs:CreateLogDelivery',
      'logs:DeleteLogDelivery',
      'logs:DescribeLogGroups',
      'logs:DescribeResourcePolicies',
      'logs:GetLogDelivery',
      'logs:ListLogDeliveries',
      'logs:PutResourcePolicy',
      'logs:UpdateLogDelivery',
    ],
  },
]

it('the role of each machine allows what its states do, and nothing else', () => {
  const machines = resourcesOf(template, 'AWS::StepFunctions::StateMachine')
  expect(machines).toHaveLength(4)
  for (const [id, { Properties }] of machines) {
    const text = JSON.stringify(Properties['DefinitionString']).replaceAll('\\"', '"')
    const needed = rightsOfStates.flatMap(({ state, rights }) => (state.test(text) ? rights : []))
    const role = (Properties['RoleArn'] as { 'Fn::GetAtt': [string] })['Fn::GetAtt'][0]
    const actions = rightsByRole(template)
      .get(role)
      ?.flatMap(statement => statement.actions)
    expect([id, [...new Set(actions)].toSorted()]).toEqual([id, needed.toSorted()])
  }
})

/** IAM and STS quotas: all inline policies of a role, without white space. */
const MOST_POLICY_CHARACTERS = 10_240
/** An ARN or a name that is known only in the account has at most so many. */
const LENGTH_OF_REFERENCE = 150

it.each(deployedShapes)('the policies of each role fit into it in the shape $name', shape => {
  const lengths = [...rightsByRole(shape.template)].map(([id, statements]) => {
    const text = JSON.stringify(statements.map(({ statement }) => statement))
    return [
      id,
      text.replaceAll(/\{"(?:Ref|Fn::GetAtt)":[^{}]*\}/g, 'x'.repeat(LENGTH_OF_REFERENCE)).length,
    ] as const
  })
  expect(lengths.length).toBeGreaterThan(5)
  expect(lengths.filter(([, length]) => length > MOST_POLICY_CHARACTERS)).toEqual([])
})
