import type { Template } from 'aws-cdk-lib/assertions'
import { type BucketName, type FunctionName, functionNames, type MachineName } from '../../infra/system.ts'
import {
  accessRoles,
  bucketName,
  itemTables,
  machineArn,
  STACK_NAME,
  secretsKeyArn,
  tokenSecretArn,
} from '../../local/runtime/names.ts'
import type { RightsOf } from '../../local/runtime/rights.ts'
import { arn } from '../../local/s3/account.ts'
import type { PolicyDocument } from '../../local/s3/auth/policy-document.ts'
import { policiesOf } from '../infra/resources-of.ts'
import { functionPaths } from './function-paths.ts'
import { synthesiseStack } from './synthesise-stack.ts'

/** What a resource of the template is here: its `Ref`, its ARN. */
interface Here {
  readonly ref: string
  readonly arn: string
}

const bucket = (name: BucketName): Here => ({
  ref: bucketName(name),
  arn: `arn:aws:s3:::${bucketName(name)}`,
})
const table = (name: string): Here => ({ ref: name, arn: arn('dynamodb', `table/${name}`) })
const machine = (name: MachineName): Here => ({ ref: machineArn(name), arn: machineArn(name) })
const same = (value: string): Here => ({ ref: value, arn: value })

/** By logical ids without the eight digits at their end. */
const resources: Readonly<Record<string, Here>> = {
  ImportLanding: bucket('landing'),
  ExportExports: bucket('exports'),
  ExtractWork: bucket('work'),
  StorageFiles: bucket('files'),
  StorageTables: bucket('tables'),
  StorageItems: table(itemTables.storage),
  ImportRecords: table(itemTables.imports),
  StorageToken: same(tokenSecretArn),
  StorageSecretsKey: same(secretsKeyArn),
  StorageFileAccess: same(accessRoles.files),
  StorageTableAccess: same(accessRoles.tables),
  ImportMachine: machine('import'),
  ExportMachine: machine('export'),
  ExtractMachine: machine('extract'),
  StorageJobsMachine: machine('jobs'),
  ...Object.fromEntries(
    functionNames.map(name => [
      functionPaths[name].join(''),
      { ref: name, arn: arn('lambda', `function:${name}`) },
    ]),
  ),
}

const pseudo: Readonly<Record<string, string>> = {
  'AWS::Partition': 'aws',
  'AWS::Region': 'us-east-1',
  'AWS::AccountId': '000000000000',
  'AWS::StackName': STACK_NAME,
}

const find = (id: string): Here => {
  const found = resources[id.replace(/[0-9A-F]{8}$/, '')]
  if (!found) throw new Error(`A right names ${id}, which is nothing here`)
  return found
}

/** Values with their references resolved. */
const resolve = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(resolve)
  if (typeof value !== 'object' || value === null) return value
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = value as Record<string, never> // As CDK writes them.
  if (Ref) return pseudo[Ref] ?? find(Ref).ref
  if (attribute)
    return attribute[1] === 'Name' ? find(attribute[0]).arn.split(':').at(-1) : find(attribute[0]).arn
  if (join) return (join[1] as unknown[]).map(resolve).join('')
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, resolve(one)]))
}

type Statement = PolicyDocument['Statement'][number]

const statementsOfRole = (template: Template, role: string): Statement[] =>
  policiesOf(template)
    .filter(({ roles }) => roles.includes(role))
    .flatMap(({ statements }) => resolve(statements.filter(isOfThisMachine)) as Statement[])

/** Logs, queues and Spark are not here. */
const isOfThisMachine = ({ Action }: { Action: string | string[] }): boolean =>
  ![Action].flat().every(action => /^(logs|sqs|xray|emr-serverless):|^iam:PassRole$/.test(action))

/** What the roles of the template allow: a call beyond them is refused on one machine as in an account. */
export const rightsOfTemplate = (context: Record<string, unknown> = {}): RightsOf => {
  const template = synthesiseStack(context)
  const functions = Object.entries(template.findResources('AWS::Lambda::Function'))
  return (name: FunctionName) => {
    const [, found] =
      functions.find(([id]) => id.replace(/[0-9A-F]{8}$/, '') === functionPaths[name].join('')) ?? []
    if (!found) throw new Error(`The template has no function ${name}`)
    const [role] = found['Properties'].Role['Fn::GetAtt'] as [string]
    return { Version: '2012-10-17', Statement: statementsOfRole(template, role) }
  }
}
