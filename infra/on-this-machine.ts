import type { StackConfig } from './stack-config.ts'

/** The configuration without what only an account has: its keys, networks, names and bounds of rights. */
export const onThisMachine = (config: StackConfig): StackConfig => ({
  ...config,
  dataKeyArn: undefined,
  permissionsBoundaryArn: undefined,
  extractorSubnetIds: [],
  extractorSecurityGroupIds: [],
  apiDomainName: undefined,
  apiCertificateArn: undefined,
  apiHostedZoneId: undefined,
  apiOnlyAtDomain: false,
  // Four threads do the runs, and eight the jobs, of everybody.
  runsPerToken: Math.min(config.runsPerToken, 3),
  jobsPerToken: Math.min(config.jobsPerToken, 4),
  runsPerProject: Math.min(config.runsPerProject, 6),
  jobsPerProject: Math.min(config.jobsPerProject, 8),
})
