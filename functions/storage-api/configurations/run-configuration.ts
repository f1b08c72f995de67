import { UserError } from '../../lib/errors/errors.ts'
import { type ConfigurationRequest, findComponent, findConfiguration } from '../find/find-configuration.ts'
import { routesOf } from '../http/route.ts'
import { type NewJob, submitJob } from '../jobs/submit-job.ts'
import type { Services } from '../services/services.ts'
import { isRunnable } from './judge-change.ts'

export const routes = routesOf('configurations')

/**
 * Runs a configuration, by a job `configurationRun` whose results say what each row did. In a branch it reads and writes
 * the branch's tables. While another run of it is
 * under way the run waits for its end.
 *
 * The run may do what its caller and the authors of the configuration may, as they are when it begins.
 */
routes.post('/v2/storage/components/{componentId}/configs/{configId}/run', {
  summary: 'Run a configuration',
  replies: {
    202: 'The job `configurationRun`',
    400: '`storage.components.notRunnable`',
    404: 'There is no such configuration',
  },
  handle: async (request, services) => submitJob(request, services, jobOfRun(request, services)),
})

/** The job that runs a configuration, if it is there and this deployment runs such. */
export const jobOfRun = (
  request: Pick<ConfigurationRequest, 'params' | 'branchId'>,
  services: Services,
): NewJob => {
  const { componentId, configId } = request.params
  return {
    input: { operationName: 'configurationRun', componentId, configId },
    admit: async () => {
      if (!isRunnable(findComponent(services, componentId)))
        throw notRunnable(`The component ${componentId} cannot be run here.`)
      const { current } = await findConfiguration(request, services)
      return { componentId, configId, version: current.version }
    },
  }
}

const notRunnable = (message: string) => new UserError('storage.components.notRunnable', message)
