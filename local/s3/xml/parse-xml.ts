import type { z } from 'zod'
import { S3Error } from '../errors.ts'
import { readElements } from './read-elements.ts'

/**
 * Reads an XML body into the shape of `schema`; every element is an array of its occurrences, text is a string.
 *
 * Throws MalformedXML, also for more than `maxElements` elements.
 */
export const parseXml = async <Result>(
  text: string,
  schema: z.ZodType<Result>,
  { maxElements }: { maxElements: number },
): Promise<Result> => {
  const parsed = schema.safeParse(await readElements(text, maxElements))
  if (!parsed.success) throw new S3Error('MalformedXML')
  return parsed.data
}
