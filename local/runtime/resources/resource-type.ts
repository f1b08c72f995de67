import { z } from 'zod'
import { unsupported } from '../template/unsupported.ts'

/** The account and region of everything on one machine. */
export const account = {
  id: '000000000000',
  region: 'us-east-1',
  partition: 'aws',
  urlSuffix: 'amazonaws.com',
} as const

/** Who a resource is: what `Ref` and `Fn::GetAtt` are made from. */
export interface Identity {
  readonly logicalId: string
  readonly stackName: string
  /** The physical name: from the template or, without one there, from the construct path. */
  readonly name: string
  /** Base URL of the HTTP API. */
  readonly apiUrl: string
}

/** How one resource type of CloudFormation is understood here. */
export interface ResourceType<Properties = unknown> {
  readonly type: string
  /** Every property this runtime knows. Anything else is refused by its path. */
  readonly properties: z.ZodType<Properties>
  /** The property that holds the physical name, when the template may choose it. */
  readonly nameProperty?: string
  /** Applies the rules of the service to a generated name, such as lower case for buckets. */
  readonly generatedName?: (path: readonly string[]) => string
  readonly ref: (identity: Identity) => string
  readonly attributes: Readonly<Record<string, (identity: Identity) => string>>
}

/** Defaults: `Ref` gives the name, and there are no attributes. */
export type Described<Properties> = Omit<ResourceType<Properties>, 'ref' | 'attributes'> &
  Partial<ResourceType<Properties>>

export const resourceType = <Properties>(type: Described<Properties>): ResourceType<Properties> => ({
  ref: ({ name }) => name,
  attributes: {},
  ...type,
})

/**
 * A property that may be ignored on one machine, with the reason.
 *
 * Each is listed, so that a new property never goes unnoticed.
 */
export const withoutMeaningHere = (reason: string) => z.unknown().optional().describe(reason)

/** Tags change no behaviour. */
export const tags = withoutMeaningHere('there is no bill and no console that would show tags')

/** Reads a resource's resolved properties. Refuses each unknown one by logical id, type and path. */
export const readProperties = <Properties>(
  type: ResourceType<Properties>,
  logicalId: string,
  properties: unknown,
): Properties => {
  const parsed = type.properties.safeParse(properties)
  if (parsed.success) return parsed.data
  throw unsupported(`${logicalId} (${type.type})`, z.prettifyError(parsed.error))
}

/** `arn:aws:<service>:us-east-1:000000000000:<rest>` */
export const arn = (service: string, rest: string) =>
  `arn:${account.partition}:${service}:${account.region}:${account.id}:${rest}`
