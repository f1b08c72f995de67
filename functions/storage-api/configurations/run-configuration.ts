import { z } from 'zod'
import { UserError } from '../../lib/errors/errors.ts'
import { queueOfRuns } from '../../lib/storage/jobs/job-store.ts'
import { type ConfigurationRequest, findComponent, findConfiguration } from '../find/find-configuration.ts'
import { text } from '../http/fields.ts'
import { routesOf } from '../http/route.ts'
import { type NewJob, submitJob } from '../jobs/submit-job.ts'
import type { Services } from '../services/services.ts'
import { isRunnable } from './judge-change.ts'

export const routes = routesOf('configurations')

/**
 * Runs a configuration, by a job `configurationRun` whose results say what each row did. In a branch it reads and writes
 * the branch's tables. Runs of one configuration come one after the other, in the order in which they were asked for.
 *
 * The run may do what its caller and the authors of the configuration may, as they are when it begins. What a body says can only be less.
 */
routes.post('/v2/storage/components/{componentId}/configs/{configId}/run', {
  summary: 'Run a configuration',
  body: z.object({
    /** `skip`: not while another run of it is open. */
    overlap: z.enum(['wait', 'skip']).optional(),
    /** What asks for the run, as people see it. */
    trigger: text({ max: 200 }).optional(),
    /** Further tokens beyond whose rights the run must not go. */
    tokenIds: z.array(text({ max: 16 })).optional(),
  }),
  replies: {
    202: 'The job `configurationRun`',
    400: '`storage.components.notRunnable`',
    404: 'There is no such configuration',
    409: '`storage.runs.underWay`, with `overlap: skip`',
  },
  handle: async (request, services) =>
    submitJob(request, services, jobOfRun(request, services, request.body)),
})

interface Wishes {
  overlap?: 'wait' | 'skip' | undefined
  trigger?: string | undefined
  tokenIds?: string[] | undefined
}

/** The job that runs a configuration, if it is there and this deployment runs such. */
export const jobOfRun = (
  request: Pick<ConfigurationRequest, 'params' | 'branchId'>,
  services: Services,
  { overlap, ...wishes }: Wishes = {},
): NewJob => {
  const { componentId, configId } = request.params
  const queueTableId = queueOfRuns({ componentId, configId })
  return {
    input: { operationName: 'configurationRun', componentId, configId, ...wishes },
    queueTableId,
    admit: async () => {
      if (!isRunnable(findComponent(services, componentId)))
        throw notRunnable(`The component ${componentId} cannot be run here.`)
      const { current } = await findConfiguration(request, services)
      if (overlap === 'skip') await refuseBehindOther(queueTableId, services)
      return { componentId, configId, version: current.version }
    },
  }
}

const refuseBehindOther = async (queue: string, services: Services): Promise<void> => {
  const other = await services.queue.first(queue)
  if (other !== undefined)
    throw new UserError('storage.runs.underWay', `The run run-${other} of the configuration has not ended.`)
}

const notRunnable = (message: string) => new UserError('storage.components.notRunnable', message)
