import { readFileSync } from 'node:fs'
import type { Metafile } from 'esbuild'

/** Rights by the commands of the SDK whose name is not that of a right (Service Authorization Reference). */
const rightsOfCommands: Readonly<Record<string, readonly string[]>> = {
  's3:HeadObject': ['s3:GetObject'],
  's3:CopyObject': ['s3:GetObject', 's3:PutObject'],
  's3:UploadPartCopy': ['s3:GetObject', 's3:PutObject'],
  's3:CreateMultipartUpload': ['s3:PutObject'],
  's3:UploadPart': ['s3:PutObject'],
  's3:CompleteMultipartUpload': ['s3:PutObject'],
  's3:DeleteObjects': ['s3:DeleteObject'],
  's3:ListObjectsV2': ['s3:ListBucket'],
  's3:ListObjectVersions': ['s3:ListBucketVersions'],
  's3:ListParts': ['s3:ListMultipartUploadParts'],
  's3:ListMultipartUploads': ['s3:ListBucketMultipartUploads'],
  'lambda:Invoke': ['lambda:InvokeFunction'],
  'dynamodb:Get': ['dynamodb:GetItem'],
  'dynamodb:Put': ['dynamodb:PutItem'],
  'dynamodb:Delete': ['dynamodb:DeleteItem'],
  'dynamodb:Update': ['dynamodb:UpdateItem'],
  'dynamodb:BatchGet': ['dynamodb:BatchGetItem'],
  'dynamodb:BatchWrite': ['dynamodb:BatchWriteItem'],
  // Each with the right of its kind; the others stand here already.
  'dynamodb:TransactWrite': ['dynamodb:ConditionCheckItem'],
  // Of other kinds of buckets; and of uploads with tags, of which there are none.
  's3:CreateSession': [],
  's3:PutObjectTagging': [],
}

const services: Readonly<Record<string, string>> = { sfn: 'states', 'secrets-manager': 'secretsmanager' }

/**
 * The rights that a bundle needs for the requests to AWS that it can send: commands that are left in it, of clients that are left
 * out where nobody names them.
 */
export const rightsOfBundle = (metafile: Metafile): Set<string> => {
  const inputs = inputsOf(metafile)
  const own = ownSources(metafile)
  const commands = inputs.flatMap(path => {
    const [, client = '', command = ''] = /\/(?:client|lib)-([\w-]+)\/.*\/(\w+)Command\.js$/.exec(path) ?? []
    // A client that is loaded by name, or as a whole, brings all its commands: what counts is which of them are named.
    const isWhole = ['lambda', 'dynamodb'].includes(client)
    if (command === '' || (isWhole && !own.some(text => text.includes(`new ${command}Command(`)))) return []
    const name = `${services[client] ?? client}:${command}`
    return rightsOfCommands[name] ?? [name]
  })
  return new Set(commands)
}

/** The files whose code is left in a bundle. */
const inputsOf = ({ outputs }: Metafile): string[] => [
  ...new Set(
    Object.values(outputs)
      .flatMap(output => Object.entries(output.inputs))
      .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
      .map(([path]) => path),
  ),
]

/** The texts of those that are ours. */
export const ownSources = (metafile: Metafile): string[] =>
  inputsOf(metafile)
    .filter(path => path.startsWith('functions/'))
    .map(path => readFileSync(path, 'utf8'))
