import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { unsupported } from './unsupported.ts'

const manifestSchema = z.looseObject({
  artifacts: z.record(
    z.string(),
    z.looseObject({
      type: z.string(),
      properties: z
        .looseObject({
          templateFile: z.string().optional(),
          file: z.string().optional(),
          stackName: z.string().optional(),
        })
        .optional(),
    }),
  ),
})

const assetsSchema = z.looseObject({
  files: z.record(
    z.string(),
    z.looseObject({
      source: z.looseObject({ path: z.string(), packaging: z.string() }),
      destinations: z.record(z.string(), z.looseObject({ objectKey: z.string() })),
    }),
  ),
})

/** A synthesised stack: its template and the code directories of its functions. */
export interface Assembly {
  readonly stackName: string
  readonly template: unknown
  /** Absolute directory of the asset that CloudFormation would find under this S3 key. */
  assetDirectory(objectKey: string): string
}

/** Reads the one stack of a cloud assembly (`cdk.out`). More or fewer than one are refused. */
export const readAssembly = async (directory: string): Promise<Assembly> => {
  const readJson = async (file: string): Promise<unknown> =>
    JSON.parse(await readFile(join(directory, file), 'utf8'))

  const { artifacts } = manifestSchema.parse(await readJson('manifest.json'))
  const all = Object.entries(artifacts)
  const stacks = all.filter(([, { type }]) => type === 'aws:cloudformation:stack')
  const [stack] = stacks
  const templateFile = stack?.[1].properties?.templateFile
  if (!stack || stacks.length !== 1 || !templateFile)
    throw unsupported(directory, `one stack is expected, there are ${stacks.length}`)

  const directories = new Map<string, string>()
  for (const [, { type, properties }] of all) {
    if (type !== 'cdk:asset-manifest' || !properties?.file) continue
    const { files } = assetsSchema.parse(await readJson(properties.file))
    for (const { source, destinations } of Object.values(files))
      for (const { objectKey } of Object.values(destinations))
        directories.set(objectKey, resolve(directory, source.path))
  }

  return {
    stackName: stack[1].properties?.stackName ?? stack[0],
    template: await readJson(templateFile),
    assetDirectory: objectKey => {
      const found = directories.get(objectKey)
      if (!found) throw unsupported(objectKey, 'the cloud assembly has no such asset')
      return found
    },
  }
}
