// Builds targets: figure pat_map as a machine with its own stack, so that the depth of a rule never matters.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "rewrite/apply.h"

namespace vouch {

class TargetBuilder {
 public:
  TargetBuilder(Graph& graph, const ApplyOptions& options) : graph_(graph), options_(options), attributes_(*this) {}

  // The results of the target's outputs, in order; false with `error_` where a part has no value.
  bool build(const RulePlan& plan, const Match& match);
  // What a failed build has made is removed again.
  void abandon();
  const std::string& error() const { return error_; }
  bool fail(std::string message);
  NodeId first_new() const { return first_new_; }
  Graph& graph() { return graph_; }

  Application application_;
  std::vector<std::uint32_t> result_counts_;  // per target output

 private:
  struct Frame {
    PatternId pattern = kNone;
    std::uint32_t next = 0;   // operand, or index of a variadic
    std::uint32_t count = 0;  // of a variadic, once `entered`
    std::uint32_t items = 0;  // where its items begin in items_
    bool entered = false;
  };
  // Accesses refer to what the source matched, or to what the target has made so far.
  class Attributes : public AttrSource {
   public:
    explicit Attributes(const TargetBuilder& builder) : builder_(builder) {}
    std::optional<AttrValue> access(PatternId pattern, Symbol name, const SymbolEnv& symbols) const override;
    const AxisNumbers* axis_numbers() const override { return &builder_.match_->axis_numbers; }
    const AttrValue* remembered(AttrId attr) const override;
    void remember(AttrId attr, const AttrValue& value) const override;

   private:
    const TargetBuilder& builder_;
  };
  struct Memo {
    std::uint64_t application = 0;
    AttrValue value;
  };

  // builder.cpp
  void reset(const RulePlan& plan, const Match& match);
  bool build_output(PatternId output);
  bool run();
  bool step(Frame& frame);
  // PE-Match: what the source matched stands for itself. Instances are looked up each time.
  bool is_matched(PatternId pattern) const { return plan_->from_source[pattern] != 0; }
  bool need(PatternId pattern);
  bool finish(NodeId node);
  bool step_operands(Frame& frame);
  bool step_choice(Frame& frame);
  bool step_instance(Frame& frame);
  NodeId value_of(PatternId pattern) const { return is_matched(pattern) ? match_->nodes[pattern] : made_[pattern]; }
  NodeId target_instance(PatternId instance, const SymbolEnv& symbols) const;

  // build_variadic.cpp
  bool step_variadic(Frame& frame);
  bool enter_variadic(Frame& frame);
  std::optional<AttrValue> matched_count() const;
  void leave_instance(const Pattern& variadic, PatternId id);

  // build_node.cpp
  NodeId make_call(PatternId id);
  NodeId make_tuple(const Pattern& p);
  NodeId make_projection(const Pattern& p);
  NodeId make_constant(const Pattern& p);
  bool attributes_of(PatternId id, OpId op, AttrDict& out);
  void add_attributes_of(const Pattern& p, std::vector<AttrDict::Entry>& entries) const;
  // What a pattern of either side stands for now, instances included; kNoNode if nothing.
  NodeId node_of(PatternId pattern) const;
  bool stays_absent(const Pattern& p, const PatternAttr& attr) const;
  std::optional<AttrValue> eval(AttrId attr) { return eval_attr(*rule_, attr, symbols_, attributes_); }

  Graph& graph_;
  const ApplyOptions options_;
  const RulePlan* plan_ = nullptr;
  const Rule* rule_ = nullptr;
  const Match* match_ = nullptr;
  Attributes attributes_;
  std::vector<Frame> stack_;
  std::vector<NodeId> made_;  // per pattern of the target
  std::vector<PatternId> made_order_;
  std::vector<NodeId> items_;
  std::vector<NodeId> operands_;
  std::unordered_map<PatternId, std::vector<NodeId>> instances_;  // of target variadics: nodes of their templates, in turn
  SymbolEnv symbols_;
  mutable std::vector<Memo> memo_;
  std::uint64_t applications_ = 0;
  NodeId first_new_ = 0;
  Graph::Mark before_;
  bool as_output_ = false;
  std::string error_;
};

}  // namespace vouch
