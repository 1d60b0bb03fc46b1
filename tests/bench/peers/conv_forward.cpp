#include "convolution_turns.h"

namespace {

using namespace peer;

Peer forward(const Layer& layer, const std::vector<Floats*>& tensors) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  memory::dims strides{layer.stride, layer.stride}, pads{layer.pad, layer.pad};
  dnnl::convolution_forward::desc wanted(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
                                         any_desc(layer.x_dims()), any_desc(layer.w_dims()), any_desc(layer.y_dims()), strides,
                                         pads, pads);
  dnnl::convolution_forward::primitive_desc chosen(wanted, engine);
  return {engine,
          dnnl::convolution_forward(chosen),
          {{DNNL_ARG_SRC, chosen.src_desc(), layer.plain_x()},
           {DNNL_ARG_WEIGHTS, chosen.weights_desc(), layer.plain_w()},
           {DNNL_ARG_DST, chosen.dst_desc(), layer.plain_y()}},
          tensors};
}

}  // namespace

int main(int argc, char** argv) {
  auto sizes = [](const Layer& layer) { return std::vector<long>{layer.inputs(), layer.weights(), layer.outputs()}; };
  return compare(argc, argv, sizes, forward);
}
