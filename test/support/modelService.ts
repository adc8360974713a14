export { ModelService, type ServiceSettings } from '../../bench/model/service';
