import type { DescService } from "@bufbuild/protobuf";
import { ApplicationActionService } from "@contract/causeway/proxy/v1/application_action_service_pb";
import { ExecService } from "@contract/causeway/proxy/v1/exec_service_pb";
import { ResourceActionService } from "@contract/causeway/proxy/v1/resource_action_service_pb";
import { RolloutActionService } from "@contract/causeway/proxy/v1/rollout_action_service_pb";
import { WorkflowActionService } from "@contract/causeway/proxy/v1/workflow_action_service_pb";
import { ApiKeyService } from "@contract/causeway/platform/v1/api_key_service_pb";
import { IdentityProviderService } from "@contract/causeway/platform/v1/identity_provider_service_pb";
import { KeyService } from "@contract/causeway/platform/v1/key_service_pb";
import { RoleService } from "@contract/causeway/platform/v1/role_service_pb";
import { RuntimeService } from "@contract/causeway/platform/v1/runtime_service_pb";
import { ServiceAccountService } from "@contract/causeway/platform/v1/service_account_service_pb";
import { SessionService } from "@contract/causeway/platform/v1/session_service_pb";
import { UserService } from "@contract/causeway/platform/v1/user_service_pb";

/** Services whose calls the audit log has. */
const services: readonly DescService[] = [
  ApplicationActionService, ExecService, ResourceActionService, RolloutActionService, WorkflowActionService, ApiKeyService,
  IdentityProviderService, KeyService, RoleService, RuntimeService, ServiceAccountService, SessionService, UserService,
];

/** The RPCs that a filter offers, by name, with their paths. */
export const methods = services
  .flatMap((service) => service.methods.filter((method) => !/^(List|Get|Watch|Check|Resolve|Report)/.test(method.name)))
  .map((method) => ({ name: method.name, path: `/${method.parent.typeName}/${method.name}` }))
  .sort((a, b) => a.name.localeCompare(b.name));

/** Returns the path of an RPC by its name; a path stays. */
export function methodPath(name: string): string {
  return methods.find((method) => method.name === name)?.path ?? name;
}

/** The name of an RPC without its service. */
export function methodName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** The name of an RPC as words: SyncApplication as "Sync application". */
export function methodWords(path: string): string {
  const words = methodName(path).replaceAll("ApiKey", "APIkey").split(/(?<=[a-z])(?=[A-Z])/);
  return words.map((word, index) => (word === "APIkey" ? "API key" : index === 0 ? word : word.toLowerCase())).join(" ");
}
