export { ModelService, type ServiceSettings } from './modelService/service';
