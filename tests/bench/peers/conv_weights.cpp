#include "convolution_turns.h"

namespace {

using namespace peer;

Peer by_weights(const Layer& layer, const std::vector<Floats*>& tensors) {
  dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  memory::dims strides{layer.stride, layer.stride}, pads{layer.pad, layer.pad};
  auto direct = dnnl::algorithm::convolution_direct;
  memory::desc x = any_desc(layer.x_dims()), w = any_desc(layer.w_dims()), y = any_desc(layer.y_dims());
  dnnl::convolution_forward::desc forward(dnnl::prop_kind::forward_training, direct, x, w, y, strides, pads, pads);
  dnnl::convolution_backward_weights::desc backward(direct, x, w, y, strides, pads, pads);
  dnnl::convolution_backward_weights::primitive_desc chosen(backward, engine,
                                                            dnnl::convolution_forward::primitive_desc(forward, engine));
  return {engine,
          dnnl::convolution_backward_weights(chosen),
          {{DNNL_ARG_SRC, chosen.src_desc(), layer.plain_x()},
           {DNNL_ARG_DIFF_DST, chosen.diff_dst_desc(), layer.plain_y()},
           {DNNL_ARG_DIFF_WEIGHTS, chosen.diff_weights_desc(), layer.plain_w()}},
          tensors};
}

}  // namespace

int main(int argc, char** argv) {
  auto sizes = [](const Layer& layer) { return std::vector<long>{layer.inputs(), layer.outputs(), layer.weights()}; };
  return compare(argc, argv, sizes, by_weights);
}
