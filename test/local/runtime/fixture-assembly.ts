// biome-ignore-all lint/suspicious/noTemplateCurlyInString: this is how Fn::Sub is written
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** A function whose code is fixtures/<module>.mjs. */
export const functionResource = (module: string, properties: object = {}) => ({
  Type: 'AWS::Lambda::Function',
  Properties: {
    Code: { S3Bucket: { 'Fn::Sub': 'assets-${AWS::AccountId}' }, S3Key: `${module}.zip` },
    Handler: 'index.handler',
    Role: { 'Fn::GetAtt': ['FunctionRole', 'Arn'] },
    Runtime: 'nodejs24.x',
    Timeout: 20,
    ...properties,
  },
})

const statement = (Action: string | string[], Resource: unknown) => ({ Effect: 'Allow', Action, Resource })

export const roleResource = (...statements: [string | string[], unknown][]) => ({
  Type: 'AWS::IAM::Role',
  Properties: {
    AssumeRolePolicyDocument: { Statement: [] },
    Policies: [
      {
        PolicyName: 'p',
        PolicyDocument: { Statement: statements.map(([action, resource]) => statement(action, resource)) },
      },
    ],
  },
})

/** Writes a cloud assembly as `cdk synth` would: one stack, one asset per module. */
export const writeAssembly = async (
  directory: string,
  template: object,
  modules: readonly string[] = [],
): Promise<string> => {
  await mkdir(directory, { recursive: true })
  const files = modules.map(async module => {
    await mkdir(join(directory, `asset.${module}`), { recursive: true })
    await cp(
      join(import.meta.dirname, 'fixtures', `${module}.mjs`),
      join(directory, `asset.${module}`, 'index.mjs'),
    )
    const source = { path: `asset.${module}`, packaging: 'zip' }
    return [module, { source, destinations: { here: { objectKey: `${module}.zip` } } }] as const
  })
  const assets = { files: Object.fromEntries(await Promise.all(files)) }
  const manifest = {
    artifacts: {
      Fixture: { type: 'aws:cloudformation:stack', properties: { templateFile: 'template.json' } },
      Assets: { type: 'cdk:asset-manifest', properties: { file: 'assets.json' } },
    },
  }
  const write = (name: string, value: object) => writeFile(join(directory, name), JSON.stringify(value))
  await Promise.all([
    write('template.json', template),
    write('assets.json', assets),
    write('manifest.json', manifest),
  ])
  return directory
}
